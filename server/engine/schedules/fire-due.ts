import { eq, inArray } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { pipelines, schedules } from "@/db/schema/pipelines";
import { platformEvents } from "@/db/schema/platform";
import { advanceSchedules, type ScheduleAdvance } from "@/db/statements/fires/advance-schedules";
import { countLiveRuns } from "@/db/statements/fires/count-live-runs";
import { insertFires, type NewFire } from "@/db/statements/fires/insert-fires";
import { hasDueSchedule, lockDueSchedules } from "@/db/statements/fires/lock-due-schedules";
import { type JudgedFire, type JudgedFires, judgeFires } from "@/server/domain/schedule/judge-fires";
import type { LiveRuns } from "@/server/domain/schedule/overlap";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { requireTerm } from "@/server/engine/leadership/require-term";
import type { RunDraft } from "@/server/engine/runs/create-run";
import type { Fence, Recovered, RecoverOptions } from "@/server/engine/runs/recover";
import { misfireOf, overlapOf, type ScheduleRow, timingOf } from "./schedule-row";
import { startRuns } from "./start-runs";

/** Schedules of one transaction. */
const BATCH = 100;
/** Fires that one schedule may have judged in one transaction; a long outage takes several. */
const FIRES_OF_ONE = 200;
/** When a transaction has judged this many fires it takes no further schedule: a take-over waits for its end. */
const FIRES_OF_ALL = 500;

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

interface Due {
  readonly schedule: ScheduleRow;
  readonly versionId: string;
}

interface Judged extends Due {
  readonly judged: JudgedFires;
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
export async function fireDue(ctx: Ctx, fence: Fence, options: RecoverOptions = {}): Promise<FireReport> {
  const limit = options.limit ?? BATCH;
  const outcome = await inTransaction(ctx, async (tx) => {
    await requireTerm(tx, fence);
    const now = ctx.clock.now();
    const ids = await lockDueSchedules(tx, now, limit);
    if (ids.length === 0) return { lines: [], groups: [], moved: [], more: false, held: await hasDueSchedule(tx, now) };
    const due = await loadDue(tx, ids);
    const judged = await judgeAll(ctx, tx, due, now);
    const lines = await recordFires(ctx, tx, fence, judged, now);
    const groups = await startRuns(
      ctx,
      tx,
      lines.flatMap(({ fire, draft }) => (draft ? [{ fireId: fire.id, draft }] : [])),
    );
    const moved = judged.map((one) => advanceOf(one, now));
    await advanceSchedules(tx, moved);
    const more = ids.length === limit || judged.length < due.length || judged.some((one) => one.judged.hasMore);
    return { lines, groups, moved, more, held: false };
  });
  await ctx.ports.doorbell.ring(outcome.groups);
  for (const projectId of new Set(outcome.lines.map(({ fire }) => fire.projectId))) ctx.ports.live.changed(projectId);
  const { lines, moved, more, held } = outcome;
  return { count: lines.length, moved, more, held, replaces: lines.some((line) => line.replaces) };
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

async function judgeAll(ctx: Ctx, tx: Tx, due: readonly Due[], now: Date): Promise<Judged[]> {
  const counts = await countLiveRuns(
    tx,
    due.map(({ schedule }) => schedule.id),
  );
  const live = new Map<string, LiveRuns>(counts.map((count) => [count.scheduleId, count]));
  const judged: Judged[] = [];
  let fires = 0;
  for (const one of due) {
    if (fires >= FIRES_OF_ALL) break;
    try {
      const fired = judgeOne(one.schedule, live.get(one.schedule.id) ?? { active: 0, waiting: 0 }, now);
      fires += fired.fires.length;
      judged.push({ ...one, judged: fired });
    } catch (error) {
      // It became unreadable, as when this runtime no longer knows its zone: it says so, and holds up nobody (B06).
      await setAside(ctx, tx, one.schedule, error instanceof Error ? error.message : String(error));
    }
  }
  return judged;
}

const judgeOne = (row: ScheduleRow, live: LiveRuns, now: Date): JudgedFires =>
  judgeFires({
    schedule: timingOf(row),
    misfire: misfireOf(row),
    overlap: overlapOf(row),
    cursor: row.cursorAt,
    activeFrom: row.activeFrom,
    now,
    live,
    limits: { maxFires: FIRES_OF_ONE },
  });

async function setAside(ctx: Ctx, tx: Tx, row: ScheduleRow, reason: string): Promise<void> {
  const now = ctx.clock.now();
  await tx
    .update(schedules)
    .set({ health: "ERROR", healthReason: reason, nextFireAt: null, updatedAt: now })
    .where(eq(schedules.id, row.id));
  await tx.insert(platformEvents).values({
    id: ctx.ids.uuid(),
    code: "APOLLO_SCHEDULE_UNREADABLE_422",
    message: `schedule ${row.name} fires no more: ${reason}. Correct it in its pipeline and publish.`,
    data: { projectId: row.projectId, pipelineId: row.pipelineId, scheduleId: row.id, expression: row.expression, timezone: row.timezone },
    at: now,
  });
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
