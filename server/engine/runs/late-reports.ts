import { and, eq, or } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { attempts } from "@/db/schema/runs";
import type { AttemptOutcome } from "@/server/domain/run/states";
import type { AttemptReport } from "@/server/domain/run/work";
import type { OpenRun, Told } from "./open-run";

export interface LateReport {
  readonly open: OpenRun;
  readonly report: AttemptReport;
  readonly reason: string;
}

const OUTCOME: Readonly<Record<AttemptReport["kind"], AttemptOutcome>> = {
  succeeded: "succeeded",
  failed: "failed",
  timedOut: "timed_out",
  handedBack: "handed_back",
};

/**
 * Keeps what came too late as events; it is never applied (IDM-2). A report whose very end stands in the attempt already is
 * a repeat, as after a commit whose answer was lost: it is answered as applied, and nothing is written.
 */
export async function recordLate(tx: Tx, late: readonly LateReport[], told: Told): Promise<ReadonlySet<AttemptReport>> {
  const repeated = new Set<AttemptReport>();
  if (late.length === 0) return repeated;
  const ended = await endedAttempts(tx, late);
  for (const { open, report, reason } of late) {
    if (ended.has(`${attemptId(report)}/${report.token}/${OUTCOME[report.kind]}`)) {
      repeated.add(report);
      continue;
    }
    const state = open.facts.nodes.get(report.key)?.state;
    if (state !== undefined) open.log.push({ kind: "late", report, state, reason, told });
  }
  return repeated;
}

async function endedAttempts(tx: Tx, late: readonly LateReport[]): Promise<ReadonlySet<string>> {
  const rows = await tx
    .select({
      runId: attempts.runId,
      key: attempts.nodeKey,
      generation: attempts.generation,
      attemptNo: attempts.no,
      token: attempts.token,
      outcome: attempts.outcome,
    })
    .from(attempts)
    .where(
      or(
        ...late.map(({ report }) =>
          and(
            eq(attempts.runId, report.runId),
            eq(attempts.nodeKey, report.key),
            eq(attempts.generation, report.generation),
            eq(attempts.no, report.attemptNo),
          ),
        ),
      ),
    );
  return new Set(rows.map((row) => `${attemptId(row)}/${row.token}/${row.outcome}`));
}

const attemptId = (of: Pick<AttemptReport, "runId" | "key" | "generation" | "attemptNo">) =>
  `${of.runId}/${of.key}/${of.generation}/${of.attemptNo}`;
