import { createHmac } from "node:crypto";
import type { ChannelAccess } from "@/server/domain/alert/channel";
import type { LinkAction } from "@/server/domain/links/action";
import type { AlertMessage } from "@/server/engine/alerts/message";
import type { MintedLink } from "@/server/engine/links/mint-links";
import { signedHeaders } from "./sign-webhook";

export interface Envelope {
  /** The same at every try, so that a receiver knows a repeat. */
  readonly eventId: string;
  readonly at: Date;
  /** Where a browser finds the product. */
  readonly baseUrl: string;
  /** Each leads to a page that acts once; what is to be done comes first. */
  readonly buttons: readonly MintedLink[];
}

/** What stands on a button; the page behind it says it whole. */
const BUTTON_WORDS: Record<LinkAction, string> = {
  retry_node: "Retry the node",
  acknowledge: "Acknowledge",
  mute: "Mute for 1 h",
  skip_node: "Skip the node",
  pause_pipeline: "Pause the pipeline",
  cancel_run: "Cancel the run",
  drain_worker: "Drain the worker",
  hold_worker: "Hold the worker",
};

/** Buttons and places with their whole address. */
export const buttonsOf = ({ buttons, baseUrl }: Pick<Envelope, "buttons" | "baseUrl">) =>
  buttons.map(({ action, path, expiresAt }) => ({ action, label: BUTTON_WORDS[action], url: linkOf(path, baseUrl), expiresAt }));

/** What is opened and not pressed: the alert, and the places that it names. */
export const placesOf = ({ path, places }: AlertMessage, baseUrl: string) =>
  [{ label: "Open in Apollo-11", path }, ...places].map(({ label, path: at }) => ({ label, url: linkOf(at, baseUrl) }));

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
function webhook({ url, secret }: Extract<HttpAccess, { kind: "webhook" }>, message: AlertMessage, envelope: Envelope): ComposedRequest {
  const { eventId, at, baseUrl } = envelope;
  const { kind, path, places, ...data } = message;
  const links = placesOf({ ...message, places }, baseUrl).slice(1);
  const body = JSON.stringify({
    type: `apollo.${kind}`,
    timestamp: message.at,
    data: { ...data, url: linkOf(path, baseUrl), links, buttons: buttonsOf(envelope) },
  });
  const headers = { "content-type": "application/json; charset=utf-8", ...signedHeaders([secret], { eventId, at, body }) };
  return { url, headers, body };
}

function slack(message: AlertMessage, envelope: Envelope) {
  const { baseUrl, eventId } = envelope;
  const link = ({ label, url }: { label: string; url: string }) => `<${url}|${label}>`;
  const buttons = buttonsOf(envelope).map(link).join("  ·  ");
  const escaped = (text: string) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const lines = linesOf(message).map(([label, value]) => `*${label}*  ${escaped(value)}`);
  const facts = message.facts.length === 0 ? [] : [`\`\`\`${escaped(message.facts.join("\n"))}\`\`\``];
  const text = [escaped(message.message), ...lines].join("\n").slice(0, SLACK_CHARS);
  const section = (each: string) => ({ type: "section", text: { type: "mrkdwn", text: each } });
  return {
    text: headline(message),
    blocks: [
      { type: "header", text: { type: "plain_text", text: headline(message).slice(0, 150) } },
      ...(buttons === "" ? [] : [section(buttons)]),
      section(text),
      ...facts.map((each) => section(each.length > SLACK_CHARS ? `${each.slice(0, SLACK_CHARS - 4)}\n\`\`\`` : each)),
      section(placesOf(message, baseUrl).map(link).join("  ·  ")),
      { type: "context", elements: [{ type: "mrkdwn", text: eventId }] },
    ],
  };
}

/** Its signature is the HMAC of nothing under the time and the secret. */
function feishu({ url, secret }: Extract<HttpAccess, { kind: "feishu" }>, message: AlertMessage, envelope: Envelope): ComposedRequest {
  const timestamp = String(Math.floor(envelope.at.getTime() / 1_000));
  const signed = secret === "" ? {} : { timestamp, sign: createHmac("sha256", `${timestamp}\n${secret}`).update("").digest("base64") };
  const buttons = buttonsOf(envelope).map(({ label, url }, at) => ({
    ...{ tag: "button", text: { tag: "plain_text", content: label }, type: at === 0 ? "primary" : "default", url },
  }));
  const bodyOf = (facts: readonly string[]) =>
    JSON.stringify({
      ...signed,
      msg_type: "interactive",
      card: {
        header: { template: CARD_COLOURS[message.grade], title: { tag: "plain_text", content: headline(message) } },
        elements: [
          ...(buttons.length === 0 ? [] : [{ tag: "action", actions: buttons }]),
          { tag: "markdown", content: markdown({ ...message, facts: [...facts] }, { ...envelope, buttons: [] }) },
        ],
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

export function markdown(message: AlertMessage, envelope: Pick<Envelope, "baseUrl" | "buttons">): string {
  const link = ({ label, url }: { label: string; url: string }) => `[${label}](${url})`;
  const buttons = buttonsOf(envelope).map(link).join(" · ");
  const places = placesOf(message, envelope.baseUrl).map(link).join(" · ");
  const lines = linesOf(message).map(([label, value]) => `**${label}**: ${value}`);
  const facts = message.facts.map((fact) => `> ${fact.replace(/\n/g, " ")}`);
  // Buttons first: a message that is too long for its channel is cut from the end.
  return [`### ${headline(message)}`, ...(buttons === "" ? [] : [buttons]), message.message, ...lines, ...facts, places].join("\n\n");
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
