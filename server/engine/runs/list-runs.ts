import { and, desc, eq, inArray, lt } from "drizzle-orm";
import { z } from "zod";
import { pipelines } from "@/db/schema/pipelines";
import { runs } from "@/db/schema/runs";
import { countNodes } from "@/db/statements/nodes/count-nodes";
import { parseInput } from "@/server/domain/input";
import { idCursorSchema, type Page, pageLimitSchema, pageOf } from "@/server/domain/paging";
import { textSchema } from "@/server/domain/pipeline/definition";
import { NODE_STATES, type NodeState, RUN_STATES, type RunState } from "@/server/domain/run/states";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { triggerOf } from "./load-run";
import type { RunView } from "./run-view";

export const runFilterSchema = z.strictObject({
  projectId: z.uuid(),
  /** Id or name of a pipeline. */
  pipeline: textSchema(64).min(1).optional(),
  state: z.array(z.enum(RUN_STATES)).min(1).max(RUN_STATES.length).optional(),
  trigger: z
    .array(z.enum(["manual", "api", "schedule", "rerun"]))
    .min(1)
    .max(4)
    .optional(),
  cursor: idCursorSchema.optional(),
  limit: pageLimitSchema,
});
export type RunFilter = z.input<typeof runFilterSchema>;

export interface RunRow {
  readonly id: string;
  readonly state: RunState;
  readonly pipeline: { readonly id: string; readonly name: string; readonly title: string };
  readonly versionNo: number;
  readonly trigger: RunView["trigger"];
  readonly businessKeys: Readonly<Record<string, string>>;
  readonly pausedByPerson: boolean;
  readonly times: RunView["times"];
  /** Nodes by state; states without a node are left out. */
  readonly nodes: Readonly<Partial<Record<NodeState, number>>>;
  readonly seq: number;
}

/** Newest first, by keyset. A name that no pipeline has gives an empty page. */
export async function listRuns(ctx: Ctx, given: RunFilter): Promise<Page<RunRow>> {
  const filter = parseInput(runFilterSchema, given);
  authorise(ctx, filter.projectId, "project.read");
  const pipelineIds = filter.pipeline === undefined ? null : await pipelinesNamed(ctx, filter.projectId, filter.pipeline);
  if (pipelineIds?.length === 0) return { items: [], nextCursor: null };
  const rows = await ctx.db
    .select({ run: runs, name: pipelines.name, title: pipelines.title })
    .from(runs)
    .innerJoin(pipelines, eq(pipelines.id, runs.pipelineId))
    .where(
      and(
        eq(runs.projectId, filter.projectId),
        pipelineIds ? inArray(runs.pipelineId, pipelineIds) : undefined,
        filter.state ? inArray(runs.state, filter.state) : undefined,
        filter.trigger ? inArray(runs.triggerKind, filter.trigger) : undefined,
        filter.cursor ? lt(runs.id, filter.cursor) : undefined,
      ),
    )
    .orderBy(desc(runs.id))
    .limit(filter.limit + 1);
  const counts = await nodeCounts(
    ctx,
    rows.map(({ run }) => run.id),
  );
  return pageOf(
    rows,
    filter.limit,
    ({ run }) => run.id,
    ({ run, name, title }) => ({
      id: run.id,
      state: run.state as RunState,
      pipeline: { id: run.pipelineId, name, title },
      versionNo: run.versionNo,
      trigger: triggerOf(run),
      businessKeys: run.businessKeys,
      pausedByPerson: run.pausedByPerson,
      times: { createdAt: run.createdAt, startedAt: run.startedAt, endedAt: run.endedAt },
      nodes: counts.get(run.id) ?? {},
      seq: run.seq,
    }),
  );
}

/** A name may have belonged to pipelines that were deleted since; their runs are still theirs. */
async function pipelinesNamed(ctx: Ctx, projectId: string, idOrName: string): Promise<string[]> {
  const wanted = z.uuid().safeParse(idOrName).success ? eq(pipelines.id, idOrName) : eq(pipelines.name, idOrName);
  const rows = await ctx.db
    .select({ id: pipelines.id })
    .from(pipelines)
    .where(and(eq(pipelines.projectId, projectId), wanted));
  return rows.map((row) => row.id);
}

async function nodeCounts(ctx: Ctx, runIds: readonly string[]): Promise<ReadonlyMap<string, Partial<Record<NodeState, number>>>> {
  const counts = new Map<string, Partial<Record<NodeState, number>>>();
  for (const { runId, state, count } of await countNodes(ctx.db, runIds)) {
    const known = NODE_STATES.find((each) => each === state);
    if (known) counts.set(runId, { ...counts.get(runId), [known]: count });
  }
  return counts;
}
