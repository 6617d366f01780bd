import type { Answer } from "@/server/domain/alert/channel";
import { textMask } from "@/server/domain/errors/mask-text";
import { judgeAnswer } from "@/server/engine/channels/judge-answer";
import { post, unsent } from "@/server/engine/channels/send";
import { signedHeaders } from "@/server/engine/channels/sign-webhook";
import type { Ctx } from "@/server/engine/context";
import { openWebhook, type WebhookRow } from "./webhook-row";

export interface Tried {
  readonly answer: Answer;
  readonly ms: number;
  /** The beginning of what was answered, masked; null where nothing was. */
  readonly response: string | null;
}

const EXCERPT = 500;
const mask = textMask([]);

/** Posts one event, signed as Standard Webhooks; whatever goes wrong is an answer. */
export async function postEvent(
  ctx: Pick<Ctx, "ports" | "clock" | "log">,
  row: WebhookRow,
  { eventId, event }: { readonly eventId: string; readonly event: unknown },
): Promise<Tried> {
  const from = ctx.clock.monotonicMs();
  const tried = (answer: Answer, response: string | null = null): Tried => ({
    ...{ answer, response, ms: Math.round(ctx.clock.monotonicMs() - from) },
  });
  let url = "";
  try {
    const access = openAccess(ctx, row);
    if (access === null)
      return tried({
        kind: "failed",
        status: null,
        error: "what it takes to send cannot be opened; give the address again",
        forGood: true,
      });
    url = access.url;
    const [at, body] = [ctx.clock.now(), JSON.stringify(event)];
    const secrets = [access.secret, ...(access.previous !== null && row.previousUntil && row.previousUntil > at ? [access.previous] : [])];
    const headers = { "content-type": "application/cloudevents+json; charset=utf-8", ...signedHeaders(secrets, { eventId, at, body }) };
    const answered = await post(ctx, row.projectId, { url, headers, body });
    return tried(judgeAnswer("webhook", answered, ctx.clock.now()), mask(answered.body).slice(0, EXCERPT));
  } catch (error) {
    return tried(unsent(error, url));
  }
}

function openAccess(ctx: Pick<Ctx, "ports" | "log">, row: WebhookRow) {
  try {
    return openWebhook(ctx, row);
  } catch (error) {
    ctx.log.warn({ err: error, webhookId: row.id }, "a webhook cannot be opened");
    return null;
  }
}
