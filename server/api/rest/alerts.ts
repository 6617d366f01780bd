import { z } from "@hono/zod-openapi";
import { CHANNEL_KINDS } from "@/server/domain/alert/channel";
import { GRADES } from "@/server/domain/alert/grade";
import { CHECKS } from "@/server/domain/alert/silence-alarm";
import { suppressorText } from "@/server/domain/alert/words";
import { acknowledgeAlert, resolveAlert } from "@/server/engine/alerts/act-on-alert";
import type { AlertView } from "@/server/engine/alerts/alert-view";
import { listAlerts, loadAlert } from "@/server/engine/alerts/list-alerts";
import { createSilence, endSilence, listSilences, type SilenceView } from "@/server/engine/alerts/silences";
import { listChannels } from "@/server/engine/channels/list-channels";
import { answer, endpoint, type RestApp } from "./endpoint";
import { cursorQuery, limitQuery, projectOf, projectParams } from "./inputs";
import { pageJson, pageSchema } from "./views";

const instant = z.iso.datetime();

const alertSchema = z
  .object({
    id: z.uuid(),
    no: z.int(),
    kind: z.enum(["code", "batch", "silence"]),
    grade: z.enum(GRADES),
    code: z.string(),
    message: z.string(),
    object: z.string(),
    runId: z.uuid().nullable(),
    node: z.string().nullable(),
    owner: z.string().nullable(),
    actionRequired: z.object({ action: z.string(), target: z.string() }).nullable(),
    count: z.int(),
    firstAt: instant,
    lastAt: instant,
    sentAt: instant.nullable().openapi({ description: "When people were last told; null while something keeps it back." }),
    suppressed: z
      .object({ kind: z.string(), label: z.string() })
      .nullable()
      .openapi({ description: "By what it is kept from people: a silence, its cause, a window, no channel." }),
    acknowledgedBy: z.string().nullable(),
    resolved: z
      .object({ at: instant, as: z.enum(["person", "itself"]), by: z.string().nullable(), reason: z.string().nullable() })
      .nullable(),
    checks: z
      .array(z.object({ check: z.enum(CHECKS), ok: z.boolean(), evidence: z.string() }))
      .openapi({ description: "Of a silence: what was checked, in order." }),
  })
  .openapi("Alert");

const alertJson = (alert: AlertView): z.input<typeof alertSchema> => ({
  ...{ id: alert.id, no: alert.no, kind: alert.kind, grade: alert.grade, code: alert.code, message: alert.message, object: alert.label },
  ...{ runId: alert.runId, node: alert.nodeKey, owner: alert.owner, actionRequired: alert.actionRequired, count: alert.count },
  firstAt: alert.firstAt.toISOString(),
  lastAt: alert.lastAt.toISOString(),
  sentAt: alert.sentAt?.toISOString() ?? null,
  suppressed: alert.suppressed && { kind: alert.suppressed.kind, label: suppressorText(alert.suppressed) },
  acknowledgedBy: alert.acknowledged?.by ?? null,
  resolved: alert.resolved && { ...alert.resolved, at: alert.resolved.at.toISOString() },
  checks: alert.checks.map((check) => ({ ...check })),
});

const silenceSchema = z
  .object({
    id: z.uuid(),
    no: z.int(),
    pattern: z.string(),
    pipelineId: z.uuid().nullable(),
    reason: z.string(),
    author: z.string(),
    startsAt: instant,
    endsAt: instant,
    endedBy: z.string().nullable(),
    holds: z.int().openapi({ description: "Open alerts that it keeps from people now." }),
  })
  .openapi("Silence");

const silenceJson = ({ startsAt, endsAt, pipeline, active: _, ...silence }: SilenceView): z.input<typeof silenceSchema> => ({
  ...silence,
  pipelineId: pipeline?.id ?? null,
  startsAt: startsAt.toISOString(),
  endsAt: endsAt.toISOString(),
});

const channelSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    kind: z.enum(CHANNEL_KINDS),
    target: z.string().openapi({ description: "Where it leads: a host, or the receivers of mail. Never the address itself." }),
    grade: z.enum(GRADES),
    pattern: z.string(),
    enabled: z.boolean(),
    waiting: z.int(),
  })
  .openapi("AlertChannel");

const alertParams = z.strictObject({ id: z.uuid().openapi({ description: "Id of the alert." }) });
const silenceParams = z.strictObject({ id: z.uuid().openapi({ description: "Id of the silence." }) });
const reason = z.string().max(500).openapi({ description: "Why; it stands in the audit row." });

export function alertEndpoints(app: RestApp): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/projects/{project}/alerts",
      tag: "Alerts",
      summary: "Alerts, newest first",
      params: projectParams,
      query: z.strictObject({ show: z.enum(["open", "suppressed", "all"]).default("open"), cursor: cursorQuery, limit: limitQuery }),
      answers: { 200: { description: "One page", schema: pageSchema(alertSchema) } },
    },
    async ({ ctx, params, query }) => {
      const { id: projectId } = await projectOf(ctx, params.project, "project.read");
      return answer(pageJson(await listAlerts(ctx, { projectId, ...query }), alertJson));
    },
  );
  endpoint(
    app,
    {
      method: "post",
      path: "/alerts/{id}/acknowledge",
      tag: "Alerts",
      summary: "Take care of an alert: it pages nobody again unless it gets graver",
      params: alertParams,
      answers: { 200: { description: "The alert after it", schema: alertSchema } },
    },
    async ({ ctx, params }) => {
      await acknowledgeAlert(ctx, params);
      return answer(alertJson(await loadAlert(ctx, params)));
    },
  );
  endpoint(
    app,
    {
      method: "post",
      path: "/alerts/{id}/resolve",
      tag: "Alerts",
      summary: "Close an alert by hand",
      params: alertParams,
      body: z.strictObject({ reason }),
      answers: { 200: { description: "The alert after it", schema: alertSchema } },
    },
    async ({ ctx, params, body }) => {
      await resolveAlert(ctx, { ...params, ...body });
      return answer(alertJson(await loadAlert(ctx, params)));
    },
  );
  silenceEndpoints(app);
  endpoint(
    app,
    {
      method: "get",
      path: "/projects/{project}/alert-channels",
      tag: "Alerts",
      summary: "Where alerts go, without what it takes to send there",
      params: projectParams,
      answers: { 200: { description: "All of them by name", schema: z.object({ items: z.array(channelSchema) }) } },
    },
    async ({ ctx, params }) => {
      const { id: projectId } = await projectOf(ctx, params.project, "project.read");
      const channels = await listChannels(ctx, { projectId });
      return answer({
        items: channels.map(({ id, name, kind, target, grade, pattern, enabled, waiting }) => ({
          ...{ id, name, kind, target, grade, pattern, enabled, waiting },
        })),
      });
    },
  );
}

function silenceEndpoints(app: RestApp): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/projects/{project}/silences",
      tag: "Alerts",
      summary: "Silences, newest first, with how much each holds",
      params: projectParams,
      query: z.strictObject({ show: z.enum(["active", "ended"]).default("active"), cursor: cursorQuery, limit: limitQuery }),
      answers: { 200: { description: "One page", schema: pageSchema(silenceSchema) } },
    },
    async ({ ctx, params, query }) => {
      const { id: projectId } = await projectOf(ctx, params.project, "project.read");
      return answer(pageJson(await listSilences(ctx, { projectId, ...query }), silenceJson));
    },
  );
  endpoint(
    app,
    {
      method: "post",
      path: "/projects/{project}/silences",
      tag: "Alerts",
      summary: "Keep what matches from people until an end",
      description: "What it keeps back has a receipt, and fires again when the silence ends and it is still open.",
      params: projectParams,
      body: z.strictObject({
        pattern: z.string().max(64).openapi({ description: "Error codes; `*` stands for anything.", example: "*_TIMEOUT_*" }),
        pipelineId: z.uuid().nullable().default(null).openapi({ description: "Of one pipeline alone." }),
        reason,
        endsAt: z.iso.datetime({ offset: true }).openapi({ description: "Within 30 days." }),
      }),
      answers: { 200: { description: "What was made", schema: z.object({ id: z.uuid(), no: z.int() }) } },
    },
    async ({ ctx, params, body }) => {
      const { id: projectId } = await projectOf(ctx, params.project, "alert.handle");
      return answer(await createSilence(ctx, { projectId, ...body }));
    },
  );
  endpoint(
    app,
    {
      method: "post",
      path: "/silences/{id}/end",
      tag: "Alerts",
      summary: "End a silence before its time",
      params: silenceParams,
      answers: { 200: { description: "It has ended", schema: z.object({ id: z.uuid() }) } },
    },
    async ({ ctx, params }) => answer(await endSilence(ctx, params)),
  );
}
