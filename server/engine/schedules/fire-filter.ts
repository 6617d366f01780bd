import { and, eq, gte, lt, type SQL } from "drizzle-orm";
import { z } from "zod";
import { fires } from "@/db/schema/pipelines";
import { pageLimitSchema } from "@/server/domain/paging";
import { FIRE_VERDICTS } from "@/server/domain/schedule/verdict";

export const fireFilterSchema = z.strictObject({
  projectId: z.uuid(),
  /** Id of a schedule. */
  schedule: z.uuid().optional(),
  pipelineId: z.uuid().optional(),
  verdict: z.enum(FIRE_VERDICTS).optional(),
  /** Without it the rows reach back to the first, and their sums over a day, or over a week of one schedule or pipeline. */
  from: z.date().optional(),
  to: z.date().optional(),
  cursor: z.string().max(80).optional(),
  limit: pageLimitSchema,
});
export type FireFilter = z.input<typeof fireFilterSchema>;
export type ParsedFireFilter = z.output<typeof fireFilterSchema>;

/** The part of the filter that says which fires are meant, whatever became of them. */
export function inFilter(filter: ParsedFireFilter): SQL | undefined {
  return and(
    eq(fires.projectId, filter.projectId),
    filter.schedule ? eq(fires.scheduleId, filter.schedule) : undefined,
    filter.pipelineId ? eq(fires.pipelineId, filter.pipelineId) : undefined,
    filter.from ? gte(fires.fireAt, filter.from) : undefined,
    filter.to ? lt(fires.fireAt, filter.to) : undefined,
  );
}
