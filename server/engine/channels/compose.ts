import { createHmac } from "node:crypto";
import type { ChannelAccess } from "@/server/domain/alert/channel";
import type { AlertMessage } from "@/server/engine/alerts/message";
import { signedHeaders } from "./sign-webhook";

export interface Envelope {
  /** The same at every try, so that a receiver knows a repeat. */
  readonly eventId: string;
  readonly at: Date;
  /** Where a browser finds the product. */
  readonly baseUrl: string;
}

export interface ComposedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Lark's card says which grade by its colour as well; the word stands in the title. */
const CARD_COLOURS = { P0: "red", P1: "orange", P2: "yellow", P3: "blue", P4: "grey" } as const;
const FEISHU_BYTES = 20_000;
const DINGTALK_BYTES = 20_000;
const WECOM_BYTES = 4_096;
const SLACK_CHARS = 2_900;

type HttpAccess = Exclude<ChannelAccess, { kind: "email" }>;

/** A message in the form and with the signature that its channel asks for. */
export function compose(access: HttpAccess, message: AlertMessage, envelope: Envelope): ComposedRequest {
  switch (access.kind) {
    case "webhook":
      return webhook(access, message, envelope);
    case "slack":
      return json(access.url, slack(message, envelope));
    case "feishu":
      return feishu(access, message, envelope);
    case "dingtalk":
      return dingtalk(access, message, envelope);
    case "wecom":
      return json(access.url, {
        msgtype: "markdown",
        markdown: { content: within(WECOM_BYTES, (facts) => markdown({ ...message, facts }, envelope), message) },
      });
  }
}

const json = (url: string, body: unknown): ComposedRequest => ({
  url,
  headers: { "content-type": "application/json; charset=utf-8" },
  body: JSON.stringify(body),
});

/** Standard Webhooks: id, time and body are signed; the id is the event's. */
function webhook(
  { url, secret }: Extract<HttpAccess, { kind: "webhook" }>,
  message: AlertMessage,
  { eventId, at, baseUrl }: Envelope,
): ComposedRequest {
  const { kind, path, ...data } = message;
  const body = JSON.stringify({ type: `apollo.${kind}`, timestamp: message.at, data: { ...data, url: linkOf(path, baseUrl) } });
  const headers = { "content-type": "application/json; charset=utf-8", ...signedHeaders([secret], { eventId, at, body }) };
  return { url, headers, body };
}

function slack(message: AlertMessage, { baseUrl, eventId }: Envelope) {
  const escaped = (text: string) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const lines = linesOf(message).map(([label, value]) => `*${label}*  ${escaped(value)}`);
  const facts = message.facts.length === 0 ? [] : [`\`\`\`${escaped(message.facts.join("\n"))}\`\`\``];
  const text = [escaped(message.message), ...lines].join("\n").slice(0, SLACK_CHARS);
  const section = (each: string) => ({ type: "section", text: { type: "mrkdwn", text: each } });
  return {
    text: headline(message),
    blocks: [
      { type: "header", text: { type: "plain_text", text: headline(message).slice(0, 150) } },
      section(text),
      ...facts.map((each) => section(each.length > SLACK_CHARS ? `${each.slice(0, SLACK_CHARS - 4)}\n\`\`\`` : each)),
      section(`<${linkOf(message.path, baseUrl)}|Open in Apollo-11>`),
      { type: "context", elements: [{ type: "mrkdwn", text: eventId }] },
    ],
  };
}

/** Its signature is the HMAC of nothing under the time and the secret. */
function feishu({ url, secret }: Extract<HttpAccess, { kind: "feishu" }>, message: AlertMessage, envelope: Envelope): ComposedRequest {
  const timestamp = String(Math.floor(envelope.at.getTime() / 1_000));
  const signed = secret === "" ? {} : { timestamp, sign: createHmac("sha256", `${timestamp}\n${secret}`).update("").digest("base64") };
  const bodyOf = (facts: readonly string[]) =>
    JSON.stringify({
      ...signed,
      msg_type: "interactive",
      card: {
        header: { template: CARD_COLOURS[message.grade], title: { tag: "plain_text", content: headline(message) } },
        elements: [{ tag: "markdown", content: markdown({ ...message, facts: [...facts] }, envelope) }],
      },
    });
  return { url, headers: { "content-type": "application/json; charset=utf-8" }, body: within(FEISHU_BYTES, bodyOf, message) };
}

/** Its signature goes into the address. */
function dingtalk({ url, secret }: Extract<HttpAccess, { kind: "dingtalk" }>, message: AlertMessage, envelope: Envelope): ComposedRequest {
  const target = new URL(url);
  if (secret !== "") {
    const timestamp = String(envelope.at.getTime());
    target.searchParams.set("timestamp", timestamp);
    target.searchParams.set("sign", createHmac("sha256", secret).update(`${timestamp}\n${secret}`).digest("base64"));
  }
  const bodyOf = (facts: readonly string[]) =>
    JSON.stringify({
      msgtype: "markdown",
      markdown: { title: headline(message), text: markdown({ ...message, facts: [...facts] }, envelope) },
    });
  return {
    url: target.toString(),
    headers: { "content-type": "application/json; charset=utf-8" },
    body: within(DINGTALK_BYTES, bodyOf, message),
  };
}

/** Leaves out facts from the end, and then cuts the message, until it fits. */
function within(bytes: number, render: (facts: string[]) => string, message: AlertMessage): string {
  for (let kept = message.facts.length; kept >= 0; kept--) {
    const text = render(message.facts.slice(0, kept));
    if (Buffer.byteLength(text) <= bytes) return text;
  }
  return Buffer.from(render([])).subarray(0, bytes).toString("utf8").replace(/�+$/, "");
}

export function markdown(message: AlertMessage, { baseUrl }: Pick<Envelope, "baseUrl">): string {
  const lines = linesOf(message).map(([label, value]) => `**${label}**: ${value}`);
  const facts = message.facts.map((fact) => `> ${fact.replace(/\n/g, " ")}`);
  return [`### ${headline(message)}`, message.message, ...lines, ...facts, `[Open in Apollo-11](${linkOf(message.path, baseUrl)})`].join(
    "\n\n",
  );
}

/** Grade first, in words: what a phone shows of it. */
export const headline = ({ grade, no, title, kind }: AlertMessage): string =>
  kind === "alert" ? `[${grade}] #${no} ${title}` : `[${kind}] ${title}`;

export function linesOf({
  project,
  code,
  object,
  owner,
  count,
  because,
  actionRequired,
}: AlertMessage): readonly (readonly [string, string])[] {
  return [
    ["Project", project],
    ["Code", code],
    ["Object", object],
    ...(owner === null ? [] : [["Owner", owner] as const]),
    ...(count > 1 ? [["Count", `${count} times`] as const] : []),
    ...(because === null ? [] : [["Because", because] as const]),
    ...(actionRequired === null ? [] : [["To do", `${actionRequired.action} (${actionRequired.target})`] as const]),
  ].filter(([, value]) => value !== "") as [string, string][];
}

export const linkOf = (path: string, baseUrl: string): string => `${baseUrl}${path}`;
