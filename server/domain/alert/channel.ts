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

/** After so many tries it is given up. */
export const MOST_TRIES = 200;
/** A refusal that no later try will change is tried no more often. */
export const MOST_REFUSALS = 3;
const FIRST_PAUSE_MS = 2_000;
/** Short enough that what waited for a receiver is there within two minutes of its return. */
const LONGEST_PAUSE_MS = 90_000;

/** How a try went: through, refused for now with when to come back, or failed, for good where no repeat can help. */
export type Answer =
  | { readonly kind: "sent"; readonly status: number | null }
  | { readonly kind: "limited"; readonly status: number | null; readonly afterMs: number }
  | { readonly kind: "failed"; readonly status: number | null; readonly error: string; readonly forGood: boolean };

/** When to try again; null when it is given up. `random` from 0 to 1 keeps those that failed together apart. */
export function nextTryMs(tries: number, answer: Extract<Answer, { kind: "failed" }>, random: number): number | null {
  if (tries >= (answer.forGood ? MOST_REFUSALS : MOST_TRIES)) return null;
  const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(tries - 1, 10));
  return Math.round(pauseMs * (0.8 + 0.2 * random));
}
