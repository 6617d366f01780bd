import { textMask } from "@/server/domain/errors/mask-text";
import type { EventType } from "@/server/domain/webhooks/told-events";

/** A CloudEvent 1.0 in its structured JSON form. */
export interface CloudEvent {
  readonly specversion: "1.0";
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject: string;
  readonly time: string;
  readonly datacontenttype: "application/json";
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Happening {
  /** Of its row: the same whenever and for whomever it is composed. */
  readonly id: string;
  readonly type: EventType | "webhook.test";
  readonly subject: string;
  readonly at: Date;
  readonly data: Readonly<Record<string, unknown>>;
  /** Where a person sees it. */
  readonly path: string;
}

const LONGEST_TEXT = 4_000;
const LONGEST_MARKDOWN = 200_000;
/** All that may leave, by name; whatever a row holds beyond that stays here. */
const TOLD = [
  ...["id", "no", "code", "grade", "message", "object", "runId", "node", "count", "suppressedBy", "resolvedAs", "severity", "state"],
  ...["recurrenceOf", "worker", "cause", "until", "titleEn", "titleZh", "pipeline", "pipelineId", "attempt", "generation", "from", "to"],
  ...["trigger", "scheduledAt", "reason", "by"],
] as const;

const mask = textMask([]);
const told = (value: unknown): unknown => (typeof value === "string" ? mask(value).slice(0, LONGEST_TEXT) : value);

/** What is sent of a happening: masked, and no more than the list above says. */
export function cloudEvent(happening: Happening, { projectKey, baseUrl }: { projectKey: string; baseUrl: string }): CloudEvent {
  const { id, type, subject, at, data, path } = happening;
  const plain = TOLD.flatMap((key) => {
    const value = data[key];
    return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? [[key, told(value)] as const] : [];
  });
  const markdown = typeof data.markdown === "string" ? { markdown: mask(data.markdown).slice(0, LONGEST_MARKDOWN) } : {};
  return {
    ...{ specversion: "1.0", id, source: `${baseUrl}/projects/${projectKey}`, type: `apollo.${type}`, subject, time: at.toISOString() },
    datacontenttype: "application/json",
    data: { project: projectKey, ...Object.fromEntries(plain), ...markdown, url: `${baseUrl}${path}` },
  };
}
