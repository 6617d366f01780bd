import type { runEvents } from "@/db/schema/runs";
import { changeData } from "@/server/domain/run/fold";
import type { AttemptReport } from "@/server/domain/run/work";
import type { LogEntry, OpenRun } from "./open-run";

type EventRow = typeof runEvents.$inferInsert;

/** The append-only rows of all that was decided, in order. */
export function eventRows(open: OpenRun, now: Date): EventRow[] {
  return open.log.map((entry) => eventRow(open.row.id, entry, now));
}

function eventRow(runId: string, entry: LogEntry, at: Date): EventRow {
  const actor = { ...entry.told.actor };
  const reason = entry.told.reason === undefined ? {} : { reason: entry.told.reason };
  switch (entry.kind) {
    case "run":
      return { runId, at, event: entry.event, from: entry.from, to: entry.to, actor, cause: entry.cause, data: reason };
    case "node": {
      const { change } = entry;
      return {
        runId,
        at,
        event: change.event,
        nodeKey: change.key,
        generation: change.next.generation,
        attemptNo: change.next.attemptNo,
        from: change.from,
        to: change.to,
        actor,
        cause: change.cause,
        data: { ...changeData(change), ...reason },
      };
    }
    case "late":
      return lateRow(runId, entry, at);
  }
}

const LATE_EVENTS: Readonly<Record<AttemptReport["kind"], string>> = {
  succeeded: "late.succeeded",
  failed: "late.attemptFailed",
  timedOut: "late.attemptTimedOut",
  handedBack: "late.handedBack",
};

function lateRow(runId: string, { report, state, reason, told }: Extract<LogEntry, { kind: "late" }>, at: Date): EventRow {
  const said = report.kind === "succeeded" ? { output: report.output } : "failure" in report ? { code: report.failure.code } : {};
  return {
    runId,
    at,
    event: LATE_EVENTS[report.kind],
    nodeKey: report.key,
    generation: report.generation,
    attemptNo: report.attemptNo,
    from: state,
    to: null,
    actor: { ...told.actor },
    cause: `superseded: ${reason}`,
    data: { token: report.token, executionId: report.executionId, ...said },
  };
}
