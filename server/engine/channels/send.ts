import type { Answer, ChannelAccess } from "@/server/domain/alert/channel";
import { DomainError } from "@/server/domain/failure";
import type { AlertMessage } from "@/server/engine/alerts/message";
import type { Ctx } from "@/server/engine/context";
import { inTime, LATE } from "@/server/engine/in-time";
import type { MintedLink } from "@/server/engine/links/mint-links";
import type { HttpAnswer } from "@/server/engine/ports";
import { rootMessage } from "@/server/engine/root-cause";
import { buttonsOf, type ComposedRequest, compose, headline, linesOf, placesOf } from "./compose";
import { judgeAnswer } from "./judge-answer";

/** A receiver that takes longer is tried again later, so that it holds up nobody. */
export const SEND_WITHIN_MS = 8_000;
const MOST_ANSWER_BYTES = 16_384;

interface Sent {
  readonly projectId: string;
  readonly eventId: string;
  readonly access: ChannelAccess;
  readonly message: AlertMessage;
  readonly buttons?: readonly MintedLink[];
}

/** Sends one message by one channel; whatever goes wrong is an answer. */
export async function send(
  ctx: Pick<Ctx, "ports" | "clock">,
  { projectId, eventId, access, message, buttons = [] }: Sent,
): Promise<Answer> {
  try {
    if (access.kind === "email") return await mail(ctx, access, { message, buttons, eventId });
    const request = compose(access, message, { eventId, at: ctx.clock.now(), baseUrl: ctx.ports.baseUrl, buttons });
    return judgeAnswer(access.kind, await post(ctx, projectId, request), ctx.clock.now());
  } catch (error) {
    return unsent(error, "url" in access ? access.url : "");
  }
}

/** Posts through the guarded client; a redirect is the answer. */
export function post({ ports }: Pick<Ctx, "ports">, projectId: string, request: ComposedRequest): Promise<HttpAnswer> {
  return ports.http.send({
    ...request,
    projectId,
    method: "POST",
    timeoutMs: SEND_WITHIN_MS,
    maxBytes: MOST_ANSWER_BYTES,
    signal: new AbortController().signal,
    staysHere: true,
  });
}

/** What went wrong where nothing was answered, without the address that was sent to. */
export function unsent(error: unknown, url: string): Extract<Answer, { kind: "failed" }> {
  // What is refused here is refused until somebody opens the address; what cannot be reached may be there soon.
  const forGood = error instanceof DomainError && (error.code === "forbidden" || error.code === "invalid_input");
  const unanswered = error instanceof DomainError && error.code === "unavailable" && error.details.reason === "timeout";
  return { kind: "failed", status: null, error: withoutPath(rootMessage(error), url).slice(0, 500), forGood, unanswered };
}

/** The path of an address or its query is its secret, and an error is for everybody who reads the log. */
function withoutPath(text: string, url: string): string {
  if (!URL.canParse(url)) return text;
  const { pathname, search } = new URL(url);
  const withoutQuery = search.length > 1 ? text.replaceAll(search, "?…") : text;
  return pathname.length > 1 ? withoutQuery.replaceAll(pathname, "/…") : withoutQuery;
}

async function mail(
  ctx: Pick<Ctx, "ports">,
  { to, toOwner }: Extract<ChannelAccess, { kind: "email" }>,
  { message, buttons, eventId }: { message: AlertMessage; buttons: readonly MintedLink[]; eventId: string },
): Promise<Answer> {
  const owner = toOwner && message.owner !== null && /^[^\s@,]+@[^\s@,]+$/.test(message.owner) ? [message.owner] : [];
  const lines = linesOf(message).map(([label, value]) => `${label}: ${value}`);
  const { baseUrl } = ctx.ports;
  const listed = (links: readonly { label: string; url: string }[]) => links.map(({ label, url }) => `${label}: ${url}`).join("\n");
  const parts = [listed(buttonsOf({ buttons, baseUrl })), message.message, lines.join("\n"), message.facts.join("\n")];
  const work = ctx.ports.mail.send({
    to: [...new Set([...to, ...owner])],
    subject: headline(message),
    text: [...parts, listed(placesOf(message, baseUrl))].filter((part) => part !== "").join("\n\n"),
    eventId,
  });
  if ((await inTime(work, SEND_WITHIN_MS)) === LATE)
    return { kind: "failed", status: null, error: "the mail server did not answer in time", forGood: false, unanswered: true };
  return { kind: "sent", status: null };
}
