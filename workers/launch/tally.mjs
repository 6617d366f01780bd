import { existsSync, readFileSync } from "node:fs";

/**
 * Counts of one suite from its JSON report. A file that could not be imported, a crash, an error outside of a test and a
 * suite without a test each count as a failure: nothing that went wrong may look green.
 */
export function tallyVitest(reportPath, exitCode) {
  const report = readReport(reportPath);
  if (!report) return { passed: 0, failed: 1, notes: ["the runner left no report"] };
  const broken = report.testResults.filter(
    (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
  );
  return judge(report.numPassedTests, report.numFailedTests + broken.length, exitCode);
}

export function tallyPlaywright(reportPath, exitCode) {
  const report = readReport(reportPath);
  if (!report) return { passed: 0, failed: 1, notes: ["the runner left no report"] };
  const { expected, unexpected, flaky } = report.stats;
  return judge(expected + flaky, unexpected + report.errors.length, exitCode);
}

export function tallyChaos(reportPath, exitCode) {
  const report = readReport(reportPath);
  if (!report) return { passed: 0, failed: 1, notes: ["the runner left no report"] };
  return judge(report.passed, report.failed, exitCode);
}

function judge(passed, failed, exitCode) {
  if (passed + failed === 0) return { passed, failed: 1, notes: ["no test was run"] };
  if (failed === 0 && exitCode !== 0) return { passed, failed: 1, notes: [`the runner ended with ${exitCode} although no test failed`] };
  return { passed, failed, notes: [] };
}

function readReport(path) {
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}
