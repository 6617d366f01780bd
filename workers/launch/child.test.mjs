import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Child } from "./child.mjs";
import { Journal } from "./journal.mjs";
import { Roll } from "./roll.mjs";

let folder;
let child;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "apollo-child-"));
});

afterEach(async () => {
  await child?.stop(0);
  rmSync(folder, { recursive: true, force: true });
});

function make(script, more = {}) {
  child = new Child({
    name: "worker",
    command: process.execPath,
    args: ["-e", script],
    env: process.env,
    cwd: folder,
    journal: new Journal(folder),
    roll: new Roll(folder),
    ...more,
  });
  return child;
}

const log = () => readFileSync(join(folder, "logs", "apollo.log"), "utf8");
const patient = { timeout: 15_000, interval: 20 };

describe("a child of the supervisor", () => {
  it("is started again after kill -9 (RUN-7)", async () => {
    make("console.log('up'); setInterval(() => {}, 1000)").start();
    await vi.waitFor(() => expect(log()).toContain("| up"), patient);
    const first = child.pid;
    process.kill(first, "SIGKILL");
    await vi.waitFor(() => expect(log().match(/\| up/g)).toHaveLength(2), patient);
    expect(child.pid).not.toBe(first);
    expect(log()).toContain("ended (SIGKILL); starting again in 200 ms");
  });

  it("is started again by force when it does not hear that it shall restart (RUN-7)", async () => {
    make("process.on('SIGTERM', () => {}); console.log('up'); setInterval(() => {}, 1000)").start();
    await vi.waitFor(() => expect(log()).toContain("| up"), patient);
    const first = child.pid;
    child.restart(100);
    await vi.waitFor(() => expect(log().match(/\| up/g)).toHaveLength(2), patient);
    expect(child.pid).not.toBe(first);
  });

  it("is started ever later when it never stays up, and its failures are counted", async () => {
    make("process.exit(3)").start();
    await vi.waitFor(() => expect(child.failures).toBeGreaterThanOrEqual(3), patient);
    expect(log()).toMatch(/code 3\); starting again in 200 ms[\s\S]*in 400 ms[\s\S]*in 800 ms/);
  });

  it("is not started again once it was told to stop, also in the middle of a pause", async () => {
    make("process.exit(3)").start();
    await vi.waitFor(() => expect(child.failures).toBe(1), patient);
    await child.stop(1_000);
    const before = log();
    child.start();
    expect(log()).toBe(before);
  });

  it("is killed when it does not end in its grace", async () => {
    make("process.on('SIGTERM', () => {}); console.log('up'); setInterval(() => {}, 1000)").start();
    await vi.waitFor(() => expect(log()).toContain("| up"), patient);
    const startedMs = performance.now();
    await child.stop(200);
    expect(performance.now() - startedMs).toBeLessThan(5_000);
  });

  it("has a channel that closes with its supervisor", async () => {
    const messages = [];
    make("process.send({ connected: process.connected }); setInterval(() => {}, 1000)", {
      onMessage: (message) => messages.push(message),
    }).start();
    await vi.waitFor(() => expect(messages).toEqual([{ connected: true }]), patient);
  });
});
