import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { portProblem, refuseFullDisk, refuseOldNode, refusePort, refuseReadOnly } from "./preflight.mjs";
import { Refusal } from "./refusal.mjs";

let folder;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "apollo-preflight-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function listen() {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => resolve({ port: server.address().port, close: () => new Promise((done) => server.close(done)) }));
  });
}

describe("before a start", () => {
  it("refuses an old Node by name, with the one that is needed", () => {
    expect(() => refuseOldNode("18.20.4")).toThrow(/Node 18\.20\.4.*20\.11/);
    expect(() => refuseOldNode("20.10.0")).toThrow(Refusal);
    expect(() => refuseOldNode("20.11.0")).not.toThrow();
    expect(() => refuseOldNode("24.1.0")).not.toThrow();
  });

  it("refuses a folder that cannot be written, and names the variable that chooses another", () => {
    const file = join(folder, "file");
    writeFileSync(file, "");
    expect(() => refuseReadOnly(join(file, "data"), "APOLLO_DATA_DIR")).toThrow(/Cannot write to .*file.*Set APOLLO_DATA_DIR/s);
    expect(() => refuseReadOnly("/proc/apollo-11", "APOLLO_DATA_DIR")).toThrow("Cannot write to /proc/apollo-11");
    expect(() => refuseReadOnly(join(folder, "made", "here"))).not.toThrow();
  });

  it("refuses a full disk with what is free and what is needed, also for a folder yet to be made", () => {
    expect(() => refuseFullDisk(join(folder, "not", "yet"), 1e12, "to install")).toThrow(
      /Only \d+ MB are free at .*, and 1000000000000 MB are needed to install/,
    );
    expect(() => refuseFullDisk(folder, 1, "to install")).not.toThrow();
  });

  it("refuses a port in use and shows how to choose another", async () => {
    const taken = await listen();
    await expect(refusePort("127.0.0.1", taken.port)).rejects.toThrow(`PORT=${taken.port + 1} npm start`);
    await taken.close();
    expect(await portProblem("127.0.0.1", taken.port)).toBeUndefined();
  });

  it("waits for a port that a killed program of the former start is letting go", async () => {
    const taken = await listen();
    const waiting = refusePort("127.0.0.1", taken.port, 10_000);
    expect(await portProblem("127.0.0.1", taken.port)).toBe("EADDRINUSE");
    await taken.close();
    await expect(waiting).resolves.toBeUndefined();
  });

  it("refuses an address that this machine does not have", async () => {
    await expect(refusePort("192.0.2.1", 4000)).rejects.toThrow("192.0.2.1 is no address of this machine");
  });
});
