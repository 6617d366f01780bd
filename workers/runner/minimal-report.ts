import { PLATFORM_CODES } from "@/server/domain/errors/code";
import type { AttemptReport } from "@/server/domain/run/work";
import { rootMessage } from "@/server/engine/root-cause";

/** What is left to tell of a report that the store refuses: that the attempt failed for it. Null where that was refused too. */
export function minimalReport(report: AttemptReport, error: unknown): AttemptReport | null {
  if (report.kind === "failed" && report.failure.code === PLATFORM_CODES.worker && report.inputs === null) return null;
  const { kind: _, ...base } = report;
  // Not the statement that stands above it: what the attempt gave stands in that.
  const told = rootMessage(error);
  return {
    ...base,
    inputs: null,
    response: null,
    kind: "failed",
    failure: {
      code: PLATFORM_CODES.worker,
      message: `What the attempt reported could not be stored: ${told.replace(/[^\x20-\x7e]/g, "?")}`,
      stack: null,
      stackHash: null,
      retryable: false,
      context: {},
      retryAfterMs: null,
    },
  };
}
