import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isInstalled } from "./install.mjs";

let folder;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "apollo-install-"));
  mkdirSync(join(folder, "node_modules"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const wanted = (packages) => writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ packages: { "": {}, ...packages } }));
const found = (packages) => writeFileSync(join(folder, "node_modules", ".package-lock.json"), JSON.stringify({ packages }));

describe("installed packages", () => {
  it("are missing until npm has written its own list, which it does last", () => {
    wanted({ "node_modules/next": { version: "16.0.0" } });
    expect(isInstalled(folder)).toBe(false);
  });

  it("are stale when the lock asks for another version or one more", () => {
    found({ "node_modules/next": { version: "16.0.0" } });
    wanted({ "node_modules/next": { version: "16.0.1" } });
    expect(isInstalled(folder)).toBe(false);
    wanted({ "node_modules/next": { version: "16.0.0" }, "node_modules/zod": { version: "4.0.0" } });
    expect(isInstalled(folder)).toBe(false);
  });

  it("are complete without the optional ones of other machines", () => {
    found({ "node_modules/next": { version: "16.0.0" } });
    wanted({ "node_modules/next": { version: "16.0.0" }, "node_modules/@esbuild/win32-x64": { version: "1.0.0", optional: true } });
    expect(isInstalled(folder)).toBe(true);
  });
});
