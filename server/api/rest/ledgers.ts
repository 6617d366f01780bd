import { z } from "@hono/zod-openapi";
import { DomainError } from "@/server/domain/failure";
import { textSchema } from "@/server/domain/pipeline/definition";
import { FIRE_VERDICTS } from "@/server/domain/schedule/verdict";
import { listAudit } from "@/server/engine/audit/list-audit";
import type { Ctx } from "@/server/engine/context";
import { listFires } from "@/server/engine/schedules/list-fires";
import { listSchedules } from "@/server/engine/schedules/list-schedules";
import { DEFAULT_SUM_DAYS } from "@/server/engine/schedules/sum-fires";
import { answer, endpoint, type RestApp } from "./endpoint";
import { cursorQuery, instantQuery, limitQuery, projectOf, projectParams } from "./inputs";
import { auditJson, auditSchema, pageJson, pageSchema } from "./views";

const fireSchema = z
  .object({
    id: z.uuid(),
    pipeline: z.string(),
    schedule: z.object({ id: z.uuid(), name: z.string(), timezone: z.string() }),
    fireAt: z.iso.datetime(),
    verdict: z.string(),
    reason: z.string().nullable(),
    lateMs: z.int(),
    runId: z.uuid().nullable(),
    duplicatesRefused: z.int(),
  })
  .openapi("Fire");

const sumsSchema = z
  .object({
    expected: z.int().nullable(),
    recorded: z.int(),
    verdicts: z.record(z.string(), z.int()),
    duplicatesRefused: z.int(),
    balanced: z.boolean().nullable(),
    notItemised: z.int().nullable(),
    from: z.iso.datetime(),
    byDefault: z.boolean(),
  })
  .openapi("FireSums", {
    description: `Expected = sum of verdicts, over all that the filter means, on the first page alone (null on the next ones). Without \`from\` it covers the last ${DEFAULT_SUM_DAYS.project * 24} hours, or the last ${DEFAULT_SUM_DAYS.one} days where \`schedule\` names one; \`byDefault\` says so. Null numbers are too many to count again from the expressions.`,
  });

export function ledgerEndpoints(app: RestApp): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/projects/{project}/fires",
      tag: "Ledgers",
      summary: "The fire ledger, newest first: every expected fire has one row",
      params: projectParams,
      query: z.strictObject({
        schedule: textSchema(64).min(1).optional().openapi({ description: "Id of a schedule, or its name where no other one has it." }),
        verdict: z.enum(FIRE_VERDICTS).optional(),
        from: instantQuery,
        to: instantQuery,
        cursor: cursorQuery,
        limit: limitQuery,
      }),
      answers: { 200: { description: "One page with its sums", schema: pageSchema(fireSchema).extend({ sums: sumsSchema.nullable() }) } },
    },
    async ({ ctx, params, query: { schedule, ...filter } }) => {
      const { id: projectId } = await projectOf(ctx, params.project, "project.read");
      const id = schedule === undefined ? undefined : await scheduleId(ctx, projectId, schedule);
      const ledger = await listFires(ctx, { projectId, ...filter, ...(id ? { schedule: id } : {}) });
      const page = pageJson(ledger, ({ pipeline, schedule: { version: _, ...of }, fireAt, createdAt: __, ...fire }) => ({
        ...fire,
        pipeline: pipeline.name,
        schedule: of,
        fireAt: fireAt.toISOString(),
      }));
      return answer({ ...page, sums: ledger.sums && { ...ledger.sums, from: ledger.sums.from.toISOString() } });
    },
  );
  endpoint(
    app,
    {
      method: "get",
      path: "/projects/{project}/audit",
      tag: "Ledgers",
      summary: "Who did what, newest first",
      params: projectParams,
      query: z.strictObject({
        actor: textSchema(200).min(1).optional(),
        verb: textSchema(64).min(1).optional().openapi({ description: "A verb such as `run.cancel`, or a noun such as `run`." }),
        objectKind: textSchema(64).min(1).optional(),
        objectId: textSchema(200).min(1).optional(),
        from: instantQuery,
        to: instantQuery,
        cursor: cursorQuery,
        limit: limitQuery,
      }),
      answers: { 200: { description: "One page", schema: pageSchema(auditSchema) } },
    },
    async ({ ctx, params, query }) => {
      const { id: projectId } = await projectOf(ctx, params.project, "audit.read");
      return answer(pageJson(await listAudit(ctx, { projectId, ...query }), auditJson));
    },
  );
}

async function scheduleId(ctx: Ctx, projectId: string, idOrName: string): Promise<string> {
  if (z.uuid().safeParse(idOrName).success) return idOrName;
  const found: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await listSchedules(ctx, { projectId, next: 0, limit: 200, ...(cursor ? { cursor } : {}) });
    found.push(...page.items.filter(({ name }) => name === idOrName).map(({ id }) => id));
    cursor = page.nextCursor;
  }
  const [only, ...others] = found;
  if (only && others.length === 0) return only;
  const problem = only
    ? `${found.length} schedules are called "${idOrName}"; name one by its id`
    : `there is no schedule "${idOrName}" in this project`;
  throw new DomainError(only ? "invalid_input" : "not_found", problem, {
    issues: [{ path: "schedule", code: only ? "ambiguous" : "unknown", message: problem }],
  });
}
