import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tallyChaos, tallyPlaywright, tallyVitest } from "./tally.mjs";

let folder;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "apollo-tally-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function report(content) {
  const path = join(folder, `${Math.random()}.json`);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

const vitestReport = (passed, failed, files = []) => report({ numPassedTests: passed, numFailedTests: failed, testResults: files });
const playwrightReport = (stats, errors = []) => report({ stats: { expected: 0, unexpected: 0, flaky: 0, skipped: 0, ...stats }, errors });

describe("the count of a test run", () => {
  it("adds what passed and what failed", () => {
    expect(tallyVitest(vitestReport(7, 2), 1)).toMatchObject({ passed: 7, failed: 2 });
    expect(tallyPlaywright(playwrightReport({ expected: 3, unexpected: 1 }), 1)).toMatchObject({ passed: 3, failed: 1 });
    expect(tallyChaos(report({ passed: 17, failed: 1 }), 1)).toMatchObject({ passed: 17, failed: 1 });
  });

  it("counts a file that could not be imported as a failure", () => {
    const broken = { status: "failed", assertionResults: [] };
    expect(tallyVitest(vitestReport(7, 0, [broken]), 1)).toMatchObject({ passed: 7, failed: 1 });
  });

  it.each([
    ["no report", join("nowhere", "report.json")],
    ["a torn report", undefined],
  ])("counts %s as a failure", (_what, path) => {
    expect(tallyVitest(path ?? report('{"numPa'), 0).failed).toBe(1);
    expect(tallyPlaywright(path ?? report('{"sta'), 0).failed).toBe(1);
    expect(tallyChaos(path ?? report('{"pas'), 0).failed).toBe(1);
  });

  it("counts a suite without a test as a failure", () => {
    expect(tallyVitest(vitestReport(0, 0), 0)).toMatchObject({ passed: 0, failed: 1 });
    expect(tallyPlaywright(playwrightReport({}), 0)).toMatchObject({ passed: 0, failed: 1 });
    expect(tallyChaos(report({ passed: 0, failed: 0 }), 0)).toMatchObject({ passed: 0, failed: 1 });
  });

  it("counts a runner that ended badly as a failure although every test passed", () => {
    expect(tallyVitest(vitestReport(7, 0), 1)).toMatchObject({ passed: 7, failed: 1 });
    expect(tallyPlaywright(playwrightReport({ expected: 3 }), 1)).toMatchObject({ passed: 3, failed: 1 });
    expect(tallyChaos(report({ passed: 5, failed: 0 }), 1)).toMatchObject({ passed: 5, failed: 1 });
  });

  it("counts a browser test that passed at its second try as passed, as the other suites do", () => {
    expect(tallyPlaywright(playwrightReport({ expected: 3, flaky: 1 }), 0)).toMatchObject({ passed: 4, failed: 0 });
  });
});
