import { asc, ne } from "drizzle-orm";
import { workerBreakers } from "@/db/schema/breakers";
import type { BreakerState } from "@/server/domain/breaker/breaker";
import { refuseAnonymous } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import type { BreakerRow } from "./breaker-row";
import { visibleProjects } from "./visible-projects";

/** A failure that opened a breaker; of a project that the reader has no role in, only when it was. */
export interface OpeningFailure {
  readonly at: Date;
  readonly code: string | null;
  readonly runId: string | null;
  readonly nodeKey: string | null;
}

export interface BreakerView {
  readonly workerId: string;
  readonly state: BreakerState;
  readonly since: Date;
  readonly until: Date | null;
  readonly nextProbeAt: Date | null;
  readonly isProbing: boolean;
  /** Probes that succeeded one after the other. */
  readonly successes: number;
  readonly lastProbe: { readonly at: Date; readonly ok: boolean; readonly note: string } | null;
  readonly why: {
    readonly cause: "oom" | "row" | "rule" | "person";
    /** The routing rule that asked for it. */
    readonly rule: string | null;
    readonly failures: readonly OpeningFailure[];
    readonly by: string | null;
    readonly reason: string | null;
  } | null;
}

/** The breakers that are not closed: as few as there are workers (EXC-6). */
export async function listBreakers(ctx: Ctx): Promise<readonly BreakerView[]> {
  refuseAnonymous(ctx);
  const rows = await ctx.db.select().from(workerBreakers).where(ne(workerBreakers.state, "closed")).orderBy(asc(workerBreakers.workerId));
  const visible = visibleProjects(ctx.principal);
  return rows.map((row) => viewOf(row, (projectId) => visible === null || visible.includes(projectId)));
}

function viewOf(row: BreakerRow, isVisible: (projectId: string) => boolean): BreakerView {
  const { workerId, state, since, until, nextProbeAt, probeId, successes, lastProbe, why } = row;
  return {
    ...{ workerId, state: state as BreakerState, since, until, nextProbeAt, isProbing: probeId !== null, successes },
    lastProbe: lastProbe && { ...lastProbe, at: new Date(lastProbe.at) },
    why: why && {
      cause: why.cause,
      failures: (why.ends ?? []).map(({ at, code, projectId, runId, nodeKey }) =>
        isVisible(projectId) ? { at: new Date(at), code, runId, nodeKey } : { at: new Date(at), code: null, runId: null, nodeKey: null },
      ),
      by: why.by?.label ?? null,
      reason: why.reason ?? null,
      rule: why.rule?.name ?? null,
    },
  };
}
