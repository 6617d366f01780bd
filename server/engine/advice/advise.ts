import { and, eq, inArray } from "drizzle-orm";
import { z } from "zod";
import { pipelines } from "@/db/schema/pipelines";
import { type HistoryOf, retryHistory } from "@/db/statements/retry-history";
import { errorCodeSchema } from "@/server/domain/codes/definition";
import { parseInput } from "@/server/domain/input";
import { nodeKeySchema } from "@/server/domain/pipeline/definition";
import { type Advice, adviseRetries, DELAY_SPANS_MS, type RetrySample } from "@/server/domain/retry/advise";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";

export const adviceOfCodeSchema = z.strictObject({ projectId: z.uuid(), code: errorCodeSchema });
export const adviceOfNodeSchema = z.strictObject({ projectId: z.uuid(), pipelineId: z.uuid(), nodeKey: nodeKeySchema });

/** Nodes and codes with the most history. */
const MOST_ADVICE = 20;

export interface NodeAdvice {
  readonly pipeline: { readonly id: string; readonly name: string; readonly title: string };
  readonly nodeKey: string;
  readonly code: string;
  readonly advice: Advice;
}

/** What history says of retries after a code, node by node (RTY-4). It changes nothing. */
export async function adviseCode(ctx: Ctx, given: z.input<typeof adviceOfCodeSchema>): Promise<readonly NodeAdvice[]> {
  const { projectId, code } = parseInput(adviceOfCodeSchema, given);
  authorise(ctx, projectId, "project.read");
  return adviceOf(ctx, { projectId, code });
}

/** The same for one node, code by code. */
export async function adviseNode(ctx: Ctx, given: z.input<typeof adviceOfNodeSchema>): Promise<readonly NodeAdvice[]> {
  const { projectId, pipelineId, nodeKey } = parseInput(adviceOfNodeSchema, given);
  authorise(ctx, projectId, "project.read");
  return adviceOf(ctx, { projectId, pipelineId, nodeKey });
}

async function adviceOf(ctx: Ctx, of: HistoryOf): Promise<readonly NodeAdvice[]> {
  const rows = await retryHistory(ctx.db, of, DELAY_SPANS_MS);
  if (rows.length === 0) return [];
  const groups = new Map<string, { pipelineId: string; nodeKey: string; code: string; samples: RetrySample[] }>();
  for (const { pipelineId, nodeKey, code, ...sample } of rows) {
    const key = `${pipelineId}/${nodeKey}/${code}`;
    const group = groups.get(key) ?? { pipelineId, nodeKey, code, samples: [] };
    groups.set(key, group);
    group.samples.push(sample);
  }
  const found = await ctx.db
    .select({ id: pipelines.id, name: pipelines.name, title: pipelines.title })
    .from(pipelines)
    .where(and(eq(pipelines.projectId, of.projectId), inArray(pipelines.id, [...new Set(rows.map(({ pipelineId }) => pipelineId))])));
  const known = new Map(found.map((pipeline) => [pipeline.id, pipeline]));
  return [...groups.values()]
    .flatMap(({ pipelineId, nodeKey, code, samples }) => {
      const pipeline = known.get(pipelineId);
      return pipeline ? [{ pipeline, nodeKey, code, advice: adviseRetries(samples) }] : [];
    })
    .toSorted((a, b) => b.advice.samples - a.advice.samples)
    .slice(0, MOST_ADVICE);
}
