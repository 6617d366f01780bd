import { eq, inArray } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { pipelines, schedules } from "@/db/schema/pipelines";
import { advanceSchedules, type ScheduleAdvance } from "@/db/statements/fires/advance-schedules";
import { insertFires, type NewFire } from "@/db/statements/fires/insert-fires";
import { type DueSelection, hasDueSchedule, lockDueSchedules } from "@/db/statements/fires/lock-due-schedules";
import type { JudgedFire } from "@/server/domain/schedule/judge-fires";
import { type Ctx, inTransaction } from "@/server/engine/context";
import type { Fence } from "@/server/engine/leadership/fence";
import { Fenced, requireTerm } from "@/server/engine/leadership/require-term";
import type { RunDraft } from "@/server/engine/runs/create-run";
import type { Recovered, RecoverOptions } from "@/server/engine/runs/recover";
import { type Due, type Judged, judgeDue } from "./judge-due";
import { startRuns } from "./start-runs";

/** Schedules of one transaction: a burst is decided before what it has started takes the machine. */
const BATCH = 250;
/** Rows that the fires of one transaction may make, their nodes counted: a statement must end within the leader's limit. */
const ROWS = 2_000;

export interface FireOptions extends RecoverOptions {
  /** Rows of one transaction; at least one fire is taken, whatever it makes. */
  readonly rows?: number;
  /** These schedules alone. */
  readonly only?: readonly string[];
  /** All but these. */
  readonly except?: readonly string[];
}

/** A transaction of fires has failed, and nothing of it was kept. The cause says why. */
export class FiresFailed extends Error {
  constructor(
    readonly scheduleIds: readonly string[],
    cause: unknown,
  ) {
    super(`the fires of ${scheduleIds.length} schedules could not be written`, { cause });
  }
}

export interface FiredSchedule {
  readonly id: string;
  readonly version: number;
  readonly nextFireAt: Date | null;
}

export interface FireReport extends Recovered {
  /** Schedules that were moved on, with their next fire: the wheel's new timers. */
  readonly moved: readonly FiredSchedule[];
  /** Something is due that an edit or another transaction holds: look again in a moment. */
  readonly held: boolean;
  /** A run was made that replaces earlier ones, which must be told to end. */
  readonly replaces: boolean;
}

interface Line {
  readonly fire: NewFire;
  readonly draft: RunDraft | null;
  readonly replaces: boolean;
}

/**
 * Fires what is due: many schedules in one fenced transaction. The ledger's lines, the runs, and where each schedule stands
 * commit together or not at all (B17); a line that is there already starts nothing.
 */
export async function fireDue(ctx: Ctx, fence: Fence, options: FireOptions = {}): Promise<FireReport> {
  let taken: readonly string[] = [];
  const outcome = await inTransaction(ctx, async (tx) => {
    await requireTerm(tx, fence);
    const now = ctx.clock.now();
    const selection: DueSelection = { now, limit: options.limit ?? BATCH, only: options.only ?? null, except: options.except ?? [] };
    taken = await lockDueSchedules(tx, selection);
    if (taken.length === 0) return { lines: [], groups: [], moved: [], more: false, held: await hasDueSchedule(tx, selection) };
    return fireThese(ctx, tx, fence, { ids: taken, now, rows: options.rows ?? ROWS, full: taken.length === selection.limit });
  }).catch((error: unknown) => {
    throw error instanceof Fenced || taken.length === 0 ? error : new FiresFailed(taken, error);
  });
  await ctx.ports.doorbell.ring(outcome.groups);
  for (const projectId of new Set(outcome.lines.map(({ fire }) => fire.projectId))) ctx.ports.live.changed(projectId);
  const { lines, moved, more, held } = outcome;
  return { count: lines.length, moved, more, held, replaces: lines.some((line) => line.replaces) };
}

interface Batch {
  readonly ids: readonly string[];
  readonly now: Date;
  readonly rows: number;
  /** More may be due than were taken. */
  readonly full: boolean;
}

async function fireThese(ctx: Ctx, tx: Tx, fence: Fence, { ids, now, rows, full }: Batch) {
  const due = await loadDue(tx, ids);
  const { judged, complete } = await judgeDue(ctx, tx, due, { now, rows });
  const lines = await recordFires(ctx, tx, fence, judged, now);
  const groups = await startRuns(
    ctx,
    tx,
    lines.flatMap(({ fire, draft }) => (draft ? [{ fireId: fire.id, draft }] : [])),
  );
  const moved = judged.map((one) => advanceOf(one, now));
  await advanceSchedules(tx, moved);
  const more = full || !complete || judged.some((one) => one.judged.hasMore);
  return { lines, groups, moved, more, held: false };
}

async function loadDue(tx: Tx, ids: readonly string[]): Promise<Due[]> {
  const rows = await tx
    .select({ schedule: schedules, versionId: pipelines.liveVersionId })
    .from(schedules)
    .innerJoin(pipelines, eq(pipelines.id, schedules.pipelineId))
    .where(inArray(schedules.id, [...ids]))
    .orderBy(schedules.nextFireAt);
  return rows.flatMap(({ schedule, versionId }) => (versionId ? [{ schedule, versionId }] : []));
}

/** Writes the ledger's lines and keeps those that are new. Ids go up with the time of the fire: runs of a schedule start in that order. */
async function recordFires(ctx: Ctx, tx: Tx, fence: Fence, judged: readonly Judged[], now: Date): Promise<Line[]> {
  const due = judged.flatMap((one) => one.judged.fires.map((fire) => ({ ...one, fire })));
  due.sort((a, b) => a.fire.fireAt.getTime() - b.fire.fireAt.getTime());
  const runIds = due.map(() => ctx.ids.uuid(now)).sort();
  const lines = due.map((one, index) => lineOf(ctx, fence, one, one.fire, runIds[index] ?? ctx.ids.uuid(now)));
  const isNew = await insertFires(
    tx,
    lines.map(({ fire }) => fire),
  );
  return lines.filter(({ fire }) => isNew.has(fire.id));
}

function lineOf(ctx: Ctx, fence: Fence, { schedule, versionId }: Due, judged: JudgedFire, runId: string): Line {
  const fire: NewFire = {
    id: ctx.ids.uuid(),
    projectId: schedule.projectId,
    pipelineId: schedule.pipelineId,
    scheduleId: schedule.id,
    scheduleVersion: schedule.version,
    fireAt: judged.fireAt,
    verdict: judged.verdict,
    reason: judged.reason,
    lateMs: Math.min(judged.lateMs, 2_147_483_647),
    runId: judged.start ? runId : null,
    epoch: fence.epoch,
  };
  if (!judged.start) return { fire, draft: null, replaces: false };
  const draft: RunDraft = {
    id: runId,
    projectId: schedule.projectId,
    pipelineId: schedule.pipelineId,
    versionId,
    trigger: {
      kind: "schedule",
      actor: { kind: "schedule", id: schedule.id, label: `${schedule.name} v${schedule.version}` },
      scheduleId: schedule.id,
      scheduledAt: judged.fireAt,
    },
    params: schedule.params,
    afterEarlier: judged.start.afterEarlier,
  };
  return { fire, draft, replaces: judged.start.cancelPrevious };
}

/** One that has more to judge stays due. */
const advanceOf = ({ schedule, judged }: Judged, now: Date): ScheduleAdvance => ({
  id: schedule.id,
  version: schedule.version,
  cursorAt: judged.cursor,
  nextFireAt: judged.hasMore ? now : judged.nextFireAt,
});
