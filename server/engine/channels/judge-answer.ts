import type { Answer, ChannelKind } from "@/server/domain/alert/channel";
import type { HttpAnswer } from "@/server/engine/ports";

const DEFAULT_LIMIT_MS = 60_000;
const LONGEST_LIMIT_MS = 15 * 60_000;

/** Chat services answer 200 and say in the body what went wrong: the field, and the numbers that ask for fewer messages. */
const BODIES: Partial<Record<ChannelKind, { readonly field: string; readonly message: string; readonly limits: readonly number[] }>> = {
  feishu: { field: "code", message: "msg", limits: [9_499, 11_232] },
  dingtalk: { field: "errcode", message: "errmsg", limits: [130_101, 410_100] },
  wecom: { field: "errcode", message: "errmsg", limits: [45_009, 45_033] },
};

/** How a channel answered. Only what a body that is understood says counts as its refusal. */
export function judgeAnswer(
  kind: ChannelKind,
  { status, headers, body }: Pick<HttpAnswer, "status" | "headers" | "body">,
  now: Date,
): Answer {
  if (status === 429) return { kind: "limited", status, afterMs: retryAfter(headers["retry-after"], now) };
  if (status < 200 || status >= 300) {
    const forGood = status >= 300 && status < 500 && status !== 408 && status !== 425;
    return { kind: "failed", status, error: `it answered ${status}`, forGood };
  }
  const form = BODIES[kind];
  const said = form ? parsed(body) : null;
  if (!form || !said) return { kind: "sent", status };
  const code = said[form.field];
  if (typeof code !== "number" || code === 0) return { kind: "sent", status };
  if (form.limits.includes(code)) return { kind: "limited", status, afterMs: DEFAULT_LIMIT_MS };
  const why = said[form.message];
  return {
    kind: "failed",
    status,
    error: `it refused with ${code}${typeof why === "string" ? ` (${why.slice(0, 200)})` : ""}`,
    forGood: true,
  };
}

/** Seconds, or an HTTP date. */
function retryAfter(header: string | undefined, now: Date): number {
  const seconds = Number(header);
  const date = header === undefined ? Number.NaN : Date.parse(header);
  const afterMs =
    header !== undefined && Number.isFinite(seconds) ? seconds * 1_000 : Number.isNaN(date) ? DEFAULT_LIMIT_MS : date - now.getTime();
  return Math.min(LONGEST_LIMIT_MS, Math.max(1_000, afterMs));
}

function parsed(body: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
