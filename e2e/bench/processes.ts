import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream, mkdirSync } from "node:fs";
import { join } from "node:path";

export interface ProgramOptions {
  /** Its name in dist/: `runner`, `scheduler`. */
  readonly program: string;
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  readonly logFolder: string;
  /** Where its CPU profile goes. */
  readonly profile?: string | undefined;
}

export interface Program {
  readonly name: string;
  readonly pid: number;
  stop(): Promise<void>;
}

const GRACE_MS = 15_000;

/** Starts one bundled program as the supervisor does: in a group of its own, with a channel that closes when we are gone. */
export function startProgram(options: ProgramOptions): Program {
  const { program, name, env, logFolder, profile } = options;
  const profiling = profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`, `--cpu-prof-name=${name}.cpuprofile`];
  const place = join(import.meta.dirname, `${program}.mjs`);
  const child = spawn(process.execPath, ["--enable-source-maps", ...profiling, place], {
    env: { PATH: process.env.PATH ?? "", NODE_ENV: "production", ...env },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    detached: true,
  });
  mkdirSync(logFolder, { recursive: true });
  const log = createWriteStream(join(logFolder, `${name}.log`), { flags: "a" });
  child.stdout?.pipe(log);
  child.stderr?.pipe(log);
  return { name, pid: child.pid ?? 0, stop: () => stopChild(child) };
}

export async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const force = setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
  await gone;
  clearTimeout(force);
}
