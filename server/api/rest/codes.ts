import { z } from "@hono/zod-openapi";
import { GRADES } from "@/server/domain/alert/grade";
import { CODE_STATES, codeFactsSchema, errorCodeSchema } from "@/server/domain/codes/definition";
import { checkCodes, exportCodes } from "@/server/engine/codes/check-codes";
import type { CodeView } from "@/server/engine/codes/code-row";
import { type CodeLine, listCodes } from "@/server/engine/codes/list-codes";
import { proposeCode } from "@/server/engine/codes/propose-code";
import { answer, endpoint, type RestApp } from "./endpoint";
import { limitQuery, projectOf, projectParams } from "./inputs";
import { pageJson, pageSchema } from "./views";

const instant = z.iso.datetime();
const codeSchema = z
  .object({
    code: z.string(),
    state: z.enum(CODE_STATES),
    title: z.object({ en: z.string(), zh: z.string() }),
    meaning: z.object({ en: z.string(), zh: z.string() }),
    owner: z.string(),
    grade: z.enum(GRADES),
    impact: z.string(),
    slaMinutes: z.int(),
    retry: z.object({ baseMs: z.int(), jitterMs: z.int(), capMs: z.int() }).nullable(),
    playbook: z.string(),
    revision: z.int(),
    proposedAt: instant,
    registeredAt: instant.nullable(),
    deprecatedAt: instant.nullable(),
  })
  .openapi("ErrorCode");

const codeJson = (row: CodeView): z.input<typeof codeSchema> => ({
  code: row.code,
  state: row.state,
  title: { en: row.titleEn, zh: row.titleZh },
  meaning: { en: row.meaningEn, zh: row.meaningZh },
  owner: row.owner,
  grade: row.grade,
  impact: row.impact,
  slaMinutes: row.slaMinutes,
  retry: row.retry,
  playbook: row.playbook,
  revision: row.revision,
  proposedAt: row.proposedAt.toISOString(),
  registeredAt: row.registeredAt?.toISOString() ?? null,
  deprecatedAt: row.deprecatedAt?.toISOString() ?? null,
});

const lineSchema = codeSchema.extend({
  events: z.int().openapi({ description: "Of the last seven days; 1,000 stands for these and more." }),
});
const lineJson = (line: CodeLine): z.input<typeof lineSchema> => ({ ...codeJson(line), events: line.events });

export function codeEndpoints(app: RestApp): void {
  registerEndpoints(app);
  endpoint(
    app,
    {
      method: "get",
      path: "/projects/{project}/codes.ts",
      tag: "Error codes",
      summary: "The registered codes as a TypeScript module, for tasks",
      params: projectParams,
      answers: { 200: { description: "`export const CODES = { … } as const`", schema: z.string(), media: "text/typescript" } },
    },
    async ({ ctx, params }) => {
      const project = await projectOf(ctx, params.project, "project.read");
      return new Response(await exportCodes(ctx, project), {
        headers: { "content-type": "text/typescript; charset=utf-8", "cache-control": "no-store" },
      });
    },
  );
  endpoint(
    app,
    {
      method: "post",
      path: "/projects/{project}/codes/check",
      tag: "Error codes",
      summary: "Which of these codes may not be used, for a check in CI",
      description: "Judged are codes in a domain of the project; what only has the form of a code is passed over.",
      params: projectParams,
      body: z.strictObject({ codes: z.array(z.string().max(64)).max(2_000) }),
      answers: {
        200: {
          description: "Those that are refused; empty where all are registered",
          schema: z.object({
            refused: z.array(z.object({ code: z.string(), state: z.enum(CODE_STATES).nullable(), near: z.array(z.string()) })),
          }),
        },
      },
    },
    async ({ ctx, params, body }) => {
      const { id: projectId } = await projectOf(ctx, params.project, "project.read");
      return answer({ refused: await checkCodes(ctx, { projectId, ...body }) });
    },
  );
}

function registerEndpoints(app: RestApp): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/projects/{project}/codes",
      tag: "Error codes",
      summary: "The register of error codes, by code",
      params: projectParams,
      query: z.strictObject({
        state: z.enum(CODE_STATES).optional(),
        grade: z.enum(GRADES).optional(),
        search: z.string().max(100).optional(),
        cursor: z.string().max(64).optional(),
        limit: limitQuery,
      }),
      answers: { 200: { description: "One page", schema: pageSchema(lineSchema) } },
    },
    async ({ ctx, params, query }) => {
      const { id: projectId } = await projectOf(ctx, params.project, "project.read");
      return answer(pageJson(await listCodes(ctx, { projectId, ...query }), lineJson));
    },
  );
  endpoint(
    app,
    {
      method: "post",
      path: "/projects/{project}/codes",
      tag: "Error codes",
      summary: "Propose a code; people approve it in the console",
      params: projectParams,
      body: z.strictObject({
        code: errorCodeSchema,
        facts: codeFactsSchema,
        isNoDuplicate: z.boolean().default(false).openapi({ description: "The near codes of a refusal were looked at." }),
      }),
      answers: { 201: { description: "The proposal", schema: codeSchema } },
    },
    async ({ ctx, params, body }) => {
      const { id: projectId } = await projectOf(ctx, params.project, "code.propose");
      return answer(codeJson(await proposeCode(ctx, { projectId, ...body })), 201);
    },
  );
}
