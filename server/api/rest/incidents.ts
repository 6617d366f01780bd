import { z } from "@hono/zod-openapi";
import { GRADES } from "@/server/domain/alert/grade";
import { INCIDENT_STATES } from "@/server/domain/incident/transitions";
import { exportReview } from "@/server/engine/incidents/export-review";
import { INCIDENT_SHOWS, type IncidentLine, listIncidents } from "@/server/engine/incidents/list-incidents";
import { answer, endpoint, type RestApp } from "./endpoint";
import { cursorQuery, limitQuery, projectOf, projectParams } from "./inputs";
import { pageJson, pageSchema } from "./views";

const instant = z.iso.datetime();
const milliseconds = z.number().nullable();

const incidentSchema = z
  .object({
    id: z.uuid(),
    no: z.int(),
    code: z.string(),
    pipeline: z.string().nullable(),
    severity: z.enum(GRADES),
    state: z.enum(INCIDENT_STATES),
    owner: z.string().nullable(),
    openedAt: instant,
    resolvedAt: instant.nullable(),
    closedAt: instant.nullable(),
    toAcknowledgeMs: milliseconds,
    toResolveMs: milliseconds,
  })
  .openapi("Incident");

const incidentJson = (row: IncidentLine): z.input<typeof incidentSchema> => ({
  id: row.id,
  no: row.no,
  code: row.code,
  pipeline: row.pipeline?.title ?? null,
  severity: row.severity,
  state: row.state,
  owner: row.owner,
  openedAt: row.openedAt.toISOString(),
  resolvedAt: row.resolved?.at.toISOString() ?? null,
  closedAt: row.closed?.at.toISOString() ?? null,
  toAcknowledgeMs: row.toAcknowledgeMs,
  toResolveMs: row.toResolveMs,
});

export function incidentEndpoints(app: RestApp): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/projects/{project}/incidents",
      tag: "Incidents",
      summary: "Incidents, what goes on first and the newest of each",
      params: projectParams,
      query: z.strictObject({ show: z.enum(INCIDENT_SHOWS).default("all"), cursor: cursorQuery, limit: limitQuery }),
      answers: { 200: { description: "One page", schema: pageSchema(incidentSchema) } },
    },
    async ({ ctx, params, query }) => {
      const { id: projectId } = await projectOf(ctx, params.project, "project.read");
      return answer(pageJson(await listIncidents(ctx, { projectId, ...query }), incidentJson));
    },
  );
  endpoint(
    app,
    {
      method: "get",
      path: "/incidents/{id}/review.md",
      tag: "Incidents",
      summary: "The post-incident review as Markdown, with the facts beside it",
      params: z.strictObject({ id: z.uuid().openapi({ description: "Id of the incident." }) }),
      answers: { 200: { description: "The review; every instant in UTC", schema: z.string(), media: "text/markdown" } },
    },
    async ({ ctx, params }) =>
      new Response(await exportReview(ctx, params), {
        headers: { "content-type": "text/markdown; charset=utf-8", "cache-control": "no-store" },
      }),
  );
}
