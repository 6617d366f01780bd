import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    redisUrl: string;
  }
}

/** For vitest: one Redis for all queue suites, whose address a test gets by `inject("redisUrl")`. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const redis = await startScratchRedis();
  project.provide("redisUrl", redis.url);
  return redis.stop;
}

/** A Redis on a free loopback port that keeps nothing, and goes when `stop` is called or this process dies. */
export async function startScratchRedis(): Promise<{ url: string; pid: number | undefined; stop: () => Promise<void> }> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "apollo-redis-"));
  // The shell waits for our end of its pipe to close; the server is its child.
  const script =
    'redis-server --port "$1" --bind 127.0.0.1 --save "" --appendonly no --dir "$2" & read -r _; kill $!; wait $!; rm -rf "$2"';
  const shell = spawn("/bin/sh", ["-c", script, "redis", String(port), folder], { stdio: ["pipe", "ignore", "ignore"], detached: true });
  const gone = new Promise<void>((resolve) => shell.once("exit", () => resolve()));
  const stop = async () => {
    shell.stdin.end();
    await gone;
  };
  for (let tries = 0; !(await answers(port)); tries += 1) {
    if (tries > 400) {
      await stop();
      throw new Error("redis-server did not start: is it installed? On Debian: apt-get install redis-server");
    }
    await pause(25);
  }
  return { url: `redis://127.0.0.1:${port}`, pid: shell.pid, stop };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    const end = (result: boolean) => {
      socket.destroy();
      resolve(result);
    };
    socket.once("connect", () => socket.write("PING\r\n"));
    socket.once("data", (said) => end(said.toString().startsWith("+PONG")));
    socket.once("error", () => end(false));
    socket.setTimeout(1_000, () => end(false));
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => (typeof address === "object" && address ? resolve(address.port) : reject(new Error("no free port"))));
    });
  });
}
