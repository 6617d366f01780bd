import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isSameProcess, startMark } from "./process-mark.mjs";
import { Roll } from "./roll.mjs";

let folder;
const children = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "apollo-roll-"));
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

function sleeper() {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  children.push(child);
  return { pid: child.pid, gone: new Promise((resolve) => child.once("exit", (_code, signal) => resolve(signal))) };
}

function leave(rows) {
  writeFileSync(join(folder, "processes.json"), JSON.stringify(rows));
}

describe("the roll of processes", () => {
  it("clears away what a killed supervisor left running (RUN-7)", async () => {
    const old = sleeper();
    leave({ supervisor: { pid: 999_999_999, mark: "1" }, web: { pid: old.pid, mark: startMark(old.pid) } });
    const { afterCrash } = await new Roll(folder).enter("boot");
    expect(afterCrash).toBe(true);
    expect(await old.gone).toBe("SIGKILL");
  });

  it("spares a process that merely has a pid from the roll", async () => {
    const other = sleeper();
    leave({ supervisor: { pid: other.pid, mark: "0" }, web: { pid: other.pid, mark: "0" } });
    await new Roll(folder).enter("boot");
    expect(isSameProcess({ pid: other.pid, mark: startMark(other.pid) })).toBe(true);
  });

  it("waits for a supervisor that is on its way out, and then enters", async () => {
    const former = sleeper();
    leave({ supervisor: { pid: former.pid, mark: startMark(former.pid) } });
    const entering = new Roll(folder).enter("boot");
    process.kill(former.pid, "SIGTERM");
    await entering;
    expect(JSON.parse(readFileSync(join(folder, "processes.json"), "utf8")).supervisor).toMatchObject({ pid: process.pid, bootId: "boot" });
  });

  it("keeps a second supervisor out while the first one runs", async () => {
    const first = sleeper();
    leave({ supervisor: { pid: first.pid, mark: startMark(first.pid) } });
    await expect(new Roll(folder, { patienceMs: 50 }).enter("boot")).rejects.toThrow(
      new RegExp(`already runs on this data folder \\(process ${first.pid}\\)`),
    );
  });

  it("reads a torn file as an empty one, and leaves nothing when it is left", async () => {
    writeFileSync(join(folder, "processes.json"), '{"supervisor": {"pi');
    const roll = new Roll(folder);
    await roll.enter("boot");
    roll.leave();
    expect(existsSync(join(folder, "processes.json"))).toBe(false);
  });
});
