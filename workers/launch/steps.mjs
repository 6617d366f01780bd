import { spawn } from "node:child_process";

const PIPES_MS = 3_000;

/** Runs a program to its end, or to its time limit, and keeps what it said; never throws for a non-zero exit. */
export function runProgram(command, args, options = {}) {
  const { show = false, onChild, limitMs, ...spawnOptions } = options;
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], ...spawnOptions });
    onChild?.(child);
    const limit = limitMs && setTimeout(() => child.kill("SIGKILL"), limitMs);
    const parts = [];
    const keep = (part) => {
      parts.push(part);
      if (show) process.stdout.write(part);
    };
    child.stdout?.on("data", keep);
    child.stderr?.on("data", keep);
    const end = (code, signal, more = "") => {
      clearTimeout(limit);
      resolve({ code, signal, output: Buffer.concat(parts).toString("utf8") + more });
    };
    child.on("error", (error) => end(127, null, `${command}: ${error.message}\n`));
    child.on("close", (code, signal) => end(code ?? 128, signal));
    // A grandchild that outlives it may hold the pipes open, and must not hold us.
    child.on("exit", (code, signal) => setTimeout(() => end(code ?? 128, signal), PIPES_MS).unref());
  });
}

export function seconds(sinceMs) {
  return `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`;
}

/** One line per step when it ends: mark, name, time; the output only of a step that failed. */
export async function runStep(step) {
  const startedMs = performance.now();
  const outcome = await step.run();
  const note = outcome.note ? `  ${outcome.note}` : "";
  console.log(`${outcome.code === 0 ? "ok    " : "FAILED"} ${step.name.padEnd(10)} ${seconds(startedMs).padStart(7)}${note}`);
  if (outcome.code !== 0) console.log(`\n${outcome.output.trimEnd()}\n`);
  return outcome.code === 0;
}

/** Runs lanes side by side, the steps of one lane in order; a failing step never hides the others. */
export async function runLanes(lanes) {
  const results = await Promise.all(
    lanes.map(async (lane) => {
      let ok = true;
      for (const step of lane) ok = (await runStep(step)) && ok;
      return ok;
    }),
  );
  return results.every(Boolean);
}
