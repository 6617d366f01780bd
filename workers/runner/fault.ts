import { createHash } from "node:crypto";
import { composeCode, isErrorCode } from "@/server/domain/errors/code";
import { ownStatus } from "@/server/domain/errors/said-error";
import type { AttemptFailure } from "@/server/domain/run/model";
import type { ClaimedNode } from "@/server/domain/run/work";

/** What went wrong with an attempt, before it is given its full code and masked. */
export type Fault = {
  readonly message: string;
  /** What was said from outside, beside the message: masked whole, and cut only then, for half a secret is not found. */
  readonly quoted?: string;
  readonly retryable: boolean;
  /** Where it is not retryable by the number of an answer or of an exit alone, and by no word of the task. */
  readonly finalBy?: "number";
  readonly stack?: string | null;
  readonly retryAfterMs?: number | null;
  readonly context?: Readonly<Record<string, string>>;
  /** Where what ran the attempt died under it alone: how many of its attempts have ended so, this one included. */
  readonly deaths?: number;
  /** Calls that the task itself made again after they had failed. */
  readonly innerRetries?: number;
  /** The request went out and no answer came back. */
  readonly fateUnknown?: true;
} & (
  | { readonly status: string; readonly number: number }
  /** The platform's own, whole. */
  | { readonly code: string }
);

const MAX_MESSAGE = 4_000;
const MAX_QUOTED = 2_000;
const MAX_STACK = 16_000;
const MAX_CONTEXT = 500;
/** The module of a step that declares none, by its type. */
const MODULES = { http: "API", command: "COMMAND", handler: "TASK", wait: "WAIT" } as const;

/** Gives a fault its code, in the pipeline's domain, and masks all that leaves the worker (EXC-1, EXC-2). */
export function failureOf(
  fault: Fault,
  node: Pick<ClaimedNode, "domain" | "node" | "businessKeys">,
  mask: (text: string) => string,
): AttemptFailure {
  const stack = fault.stack ? mask(fault.stack).slice(0, MAX_STACK) : null;
  return {
    code: codeOf(fault, node, mask),
    message: messageOf(fault, mask),
    stack: stack === null ? null : clean(stack),
    stackHash: stack === null ? null : stackHash(stack),
    retryable: fault.retryable,
    ...(fault.retryable || fault.finalBy === undefined ? {} : { finalBy: fault.finalBy }),
    retryAfterMs: fault.retryAfterMs ?? null,
    context: contextOf(fault, node.businessKeys, mask),
    ...(fault.deaths === undefined ? {} : { deaths: fault.deaths }),
    ...(fault.innerRetries === undefined ? {} : { innerRetries: fault.innerRetries }),
    ...(fault.fateUnknown ? { fateUnknown: true } : {}),
  };
}

function messageOf({ message, quoted }: Fault, mask: (text: string) => string): string {
  const said = quoted ? `: ${mask(quoted).slice(0, MAX_QUOTED)}` : "";
  return clean(mask(message) + said).slice(0, MAX_MESSAGE);
}

function codeOf(fault: Fault, node: Pick<ClaimedNode, "domain" | "node">, mask: (text: string) => string): string {
  if ("code" in fault && isErrorCode(fault.code)) return fault.code;
  const { status, number } = "code" in fault ? { status: "ERROR", number: 500 } : fault;
  const module = node.node.module ?? MODULES[node.node.type];
  return composeCode({ domain: node.domain, module, status: ownStatus(wordsOnly(status, mask), node.domain, module), number });
}

/** A status names a fault and nobody's data: one that holds a secret, or a number as long as an order's, says nothing instead. */
const wordsOnly = (status: string, mask: (text: string) => string): string =>
  /\d{5}/.test(status) || mask(status) !== status ? "ERROR" : status;

/** Business keys alone, by the pipeline's own list: all else that an error carries is dropped. */
function contextOf(fault: Fault, keys: Readonly<Record<string, string>>, mask: (text: string) => string): Record<string, string> {
  const told = Object.entries(fault.context ?? {}).filter(([key]) => Object.hasOwn(keys, key));
  return Object.fromEntries(
    [...Object.entries(keys), ...told].map(([key, value]) => [key, clean(mask(String(value))).slice(0, MAX_CONTEXT)]),
  );
}

/** The same for the same fault, wherever its file lies and whatever its numbers are: frames without lines and paths. */
export function stackHash(stack: string): string {
  const frames = stack
    .split("\n")
    .filter((line) => /^\s*at /.test(line))
    .slice(0, 20)
    .map((line) =>
      line
        .trim()
        .replace(/:\d+:\d+/g, "")
        .replace(/(?:file:\/\/)?\/[^\s()]*\//g, ""),
    );
  const told = frames.length > 0 ? frames.join("\n") : stack.replace(/\d+/g, "0").slice(0, 500);
  return createHash("sha256").update(told).digest("hex").slice(0, 16);
}

const clean = (text: string) => text.replaceAll("\u0000", "\u2400").replace(/\p{Surrogate}/gu, "\ufffd");
