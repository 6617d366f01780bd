import { and, eq } from "drizzle-orm";
import { z } from "zod";
import { attempts } from "@/db/schema/runs";
import { executionsOf } from "@/db/statements/state/read-executions";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { nodeKeySchema } from "@/server/domain/pipeline/definition";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { projectOfRun } from "./intervention";

export const attemptPlaceSchema = z.strictObject({ runId: z.uuid(), key: nodeKeySchema, generation: z.int().min(1), no: z.int().min(1) });

interface AttemptBody {
  readonly inputs: unknown;
  readonly output: unknown;
  readonly response: Readonly<Record<string, unknown>> | null;
  /** What its execution holds as accepted, by a worker or a person. */
  readonly accepted: unknown;
}

/** What one attempt took and gave, whole, however large. */
export async function loadAttempt(ctx: Ctx, given: z.input<typeof attemptPlaceSchema>): Promise<AttemptBody> {
  const { runId, key, generation, no } = parseInput(attemptPlaceSchema, given);
  authorise(ctx, await projectOfRun(ctx, ctx.db, runId), "project.read");
  const [row] = await ctx.db
    .select()
    .from(attempts)
    .where(and(eq(attempts.runId, runId), eq(attempts.nodeKey, key), eq(attempts.generation, generation), eq(attempts.no, no)));
  if (!row)
    throw new DomainError("not_found", `node "${key}" of run ${runId} has no attempt ${generation}.${no}`, { details: { runId, key } });
  const [execution] = await executionsOf(ctx.db, [row.executionId]);
  return { inputs: row.inputs ?? null, output: row.output ?? null, response: row.response, accepted: execution?.result ?? null };
}
