import { z } from "zod";

export const CHANNEL_KINDS = ["webhook", "slack", "feishu", "dingtalk", "wecom", "email"] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];

/** An address on the web that may be posted to. */
export const postAddressSchema = z
  .string()
  .trim()
  .max(2_000)
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), { error: "not an address; write http:// or https://" })
  .refine((text) => !URL.canParse(text) || new URL(text).username === "", { error: "take the user and password out of the address" });
const signing = z.string().trim().max(200);

/** What it takes to send on a channel; sealed whole, since who knows the address of most of them can send. */
export const channelAccessSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("webhook"),
    url: postAddressSchema,
    secret: z
      .string()
      .trim()
      .regex(/^whsec_[A-Za-z0-9+/]{32,128}={0,2}$/, { error: "not a signing secret; write whsec_ and 24 to 64 bytes in base64" }),
  }),
  z.strictObject({ kind: z.literal("slack"), url: postAddressSchema }),
  z.strictObject({ kind: z.literal("feishu"), url: postAddressSchema, secret: signing.default("") }),
  z.strictObject({ kind: z.literal("dingtalk"), url: postAddressSchema, secret: signing.default("") }),
  z.strictObject({ kind: z.literal("wecom"), url: postAddressSchema }),
  z.strictObject({
    kind: z.literal("email"),
    to: z.array(z.email().max(254)).min(1).max(20),
    /** Also to the owner of what failed, where that is an address. */
    toOwner: z.boolean().default(false),
  }),
]);
export type ChannelAccess = z.output<typeof channelAccessSchema>;

/** What of a channel may be shown: never more than where it leads. */
export const shownTarget = (access: ChannelAccess): string => (access.kind === "email" ? access.to.join(", ") : new URL(access.url).host);

/** What is not through by then is given up; a person can send it again. */
export const GIVEN_UP_AFTER_MS = 24 * 3_600_000;
const FIRST_PAUSE_MS = 2_000;
/** Short enough that what waited for a receiver is there within two minutes of its return (B93). */
const LONGEST_PAUSE_MS = 90_000;
/** A refusal that a later try will hardly change: somebody may be setting the receiver right, so it is tried for an hour. */
const REFUSAL_PAUSES_MS = [10_000, 60_000, 5 * 60_000, 15 * 60_000, 40 * 60_000];
/** A receiver that takes messages and answers too late gets each again at every try: after so many, far less often. */
const MOST_QUICK_REPEATS = 20;
const MOST_REPEATS = 40;
const SLOW_PAUSE_MS = 30 * 60_000;

/** How a try went: through, refused for now with when to come back, or failed. */
export type Answer =
  | { readonly kind: "sent"; readonly status: number | null }
  | { readonly kind: "limited"; readonly status: number | null; readonly afterMs: number }
  | {
      readonly kind: "failed";
      readonly status: number | null;
      readonly error: string;
      /** No repeat will help. */
      readonly forGood: boolean;
      /** It was sent and not answered in time: it may have arrived. */
      readonly unanswered?: boolean;
    };
export type Failed = Extract<Answer, { kind: "failed" }>;

/** When to try again; null when it is given up. `random` from 0 to 1 keeps those that failed together apart. */
export function nextTryMs(failed: Failed, { tries, ageMs, random }: { tries: number; ageMs: number; random: number }): number | null {
  const pauseMs = pauseOf(failed, tries);
  if (pauseMs === null || ageMs + pauseMs > GIVEN_UP_AFTER_MS) return null;
  return Math.round(pauseMs * (0.8 + 0.2 * random));
}

function pauseOf({ forGood, unanswered }: Failed, tries: number): number | null {
  if (forGood) return REFUSAL_PAUSES_MS[tries - 1] ?? null;
  const doubled = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(tries - 1, 10));
  if (!unanswered) return doubled;
  return tries >= MOST_REPEATS ? null : tries < MOST_QUICK_REPEATS ? doubled : SLOW_PAUSE_MS;
}

/** Messages in a minute that are usual of a kind of receiver, with a little room below what its makers state. */
export const USUAL_PER_MINUTE: Readonly<Record<ChannelKind, number>> = {
  ...{ webhook: 300, slack: 50, feishu: 100, dingtalk: 20, wecom: 20, email: 60 },
};
const MINUTE_MS = 60_000;

/** How many messages a receiver takes now, and when it takes the next where it is none. */
export function roomOf(spent: readonly Date[], perMinute: number, now: Date): { readonly room: number; readonly nextAt: Date | null } {
  const within = recentOf(spent, now);
  const room = Math.max(0, perMinute - within.length);
  const oldest = within[within.length - perMinute];
  return { room, nextAt: room > 0 || !oldest ? null : new Date(oldest.getTime() + MINUTE_MS) };
}

/** Of these the instants within the last minute, in order. */
export const recentOf = (spent: readonly Date[], now: Date): Date[] =>
  spent.filter((at) => now.getTime() - at.getTime() < MINUTE_MS).sort((a, b) => a.getTime() - b.getTime());
