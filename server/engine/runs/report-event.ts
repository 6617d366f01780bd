import type { RunEvent } from "@/server/domain/run/model";
import type { AttemptReport } from "@/server/domain/run/work";

/** What a worker's report is to the decision. */
export function eventOf(report: AttemptReport, jitter: number): RunEvent {
  const { key, token } = report;
  switch (report.kind) {
    case "succeeded":
      return { kind: "succeeded", key, token };
    case "failed":
      return { kind: "attemptFailed", key, token, failure: report.failure, jitter };
    case "timedOut":
      return { kind: "attemptTimedOut", key, token, failure: report.failure, jitter };
    case "handedBack":
      return { kind: "handedBack", key, token, begun: report.times.executingAt !== null };
  }
}
