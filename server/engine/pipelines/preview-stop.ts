import { and, eq, isNull, sql } from "drizzle-orm";
import { schedules } from "@/db/schema/pipelines";
import { runs } from "@/db/schema/runs";
import { parseInput } from "@/server/domain/input";
import type { RunState } from "@/server/domain/run/states";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { type PipelinePlace, pipelinePlaceSchema } from "./load-draft";
import { readPipeline } from "./pipeline-row";

export interface StopPreview {
  /** Runs that go on to their end. */
  readonly liveRuns: readonly { readonly id: string; readonly state: RunState }[];
  /** Runs that wait for their turn: disabling holds them, archiving and deleting cancel them. */
  readonly waitingRuns: number;
  /** Schedules that would fire no more. */
  readonly schedules: readonly { readonly name: string; readonly nextFireAt: Date | null }[];
}

/** What disabling, archiving or deleting a pipeline would stop (PIP-9). */
export async function previewStop(ctx: Ctx, raw: PipelinePlace): Promise<StopPreview> {
  const place = parseInput(pipelinePlaceSchema, raw);
  authorise(ctx, place.projectId, "project.read");
  await readPipeline(ctx.db, place);
  const ofPipeline = eq(runs.pipelineId, place.pipelineId);
  // States stand in the text: a plan for any state cannot use the indexes that hold live runs alone.
  const [live, waiting, timed] = await Promise.all([
    ctx.db
      .select({ id: runs.id, state: runs.state })
      .from(runs)
      .where(and(ofPipeline, sql`${runs.state} in ('RUNNING', 'PAUSED')`))
      .limit(100),
    ctx.db.$count(runs, and(ofPipeline, sql`${runs.state} = 'PENDING'`)),
    ctx.db
      .select({ name: schedules.name, nextFireAt: schedules.nextFireAt })
      .from(schedules)
      .where(and(eq(schedules.pipelineId, place.pipelineId), isNull(schedules.removedAt), eq(schedules.enabled, true))),
  ]);
  return { liveRuns: live.map(({ id, state }) => ({ id, state: state as RunState })), waitingRuns: waiting, schedules: timed };
}
