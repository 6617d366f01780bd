import { PLATFORM_CODES } from "@/server/domain/errors/code";
import { type TextMask, textMask } from "@/server/domain/errors/mask-text";
import { DomainError } from "@/server/domain/failure";
import type { IdempotencyCheck, NodeDefinition } from "@/server/domain/pipeline/definition";
import { checkOf } from "@/server/domain/pipeline/node-templates";
import { type Rendered, renderNodeWith, type TemplateScope } from "@/server/domain/pipeline/render-template";
import { secretsIn } from "@/server/domain/pipeline/template";
import { type ClaimedNode, type InputTooLarge, MAX_INPUT_BYTES } from "@/server/domain/run/work";
import type { Fault } from "./fault";

export type ResolvedInputs =
  | {
      readonly kind: "resolved";
      /** As they are executed. */
      readonly with: NodeDefinition["with"];
      /** To be asked first: an earlier attempt's fate is unknown. */
      readonly check: IdempotencyCheck | null;
      /** As the snapshot keeps them: secrets by reference. */
      readonly snapshot: unknown;
      readonly mask: TextMask;
      /** The values that it was given, by name. */
      readonly secrets: Readonly<Record<string, string>>;
    }
  | { readonly kind: "refused"; readonly snapshot: unknown; readonly fault: Fault };

export type SecretsOf = (projectId: string, names: readonly string[]) => Promise<Readonly<Record<string, string>>>;

/** Resolves a node's templates for one attempt; secrets enter here, right before use, and in nothing that is kept. */
export async function resolveInputs(claimed: ClaimedNode, secretsOf: SecretsOf): Promise<ResolvedInputs> {
  if (claimed.inputTooLarge) return refused(null, outputsTooLarge(claimed.inputTooLarge));
  const scope: TemplateScope = {
    params: claimed.params,
    nodes: Object.fromEntries(Object.entries(claimed.outputs).map(([key, output]) => [key, { output }])),
    run: claimed.run,
  };
  const kept = renderNodeWith(claimed.node, scope, { mode: "reference" });
  if (kept.kind === "unresolved") return refused(null, unresolved(kept));
  const bytes = Buffer.byteLength(JSON.stringify(kept.value));
  if (bytes > MAX_INPUT_BYTES) return refused(null, inputTooLarge(bytes));
  const names = secretsOfNode(claimed.node);
  let secrets: Readonly<Record<string, string>>;
  try {
    secrets = names.length === 0 ? {} : await secretsOf(claimed.projectId, names);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return refused(kept.value, { code: PLATFORM_CODES.secretUnavailable, message: error.message, retryable: false });
  }
  const check = renderCheck(claimed, scope, secrets);
  if (check?.kind === "unresolved") return refused(kept.value, unresolved(check));
  const resolved = {
    kind: "resolved",
    check: (check?.value ?? null) as IdempotencyCheck | null,
    snapshot: kept.value,
    mask: textMask(Object.values(secrets)),
    secrets,
  } as const;
  if (names.length === 0) return { ...resolved, with: kept.value as NodeDefinition["with"] };
  const used = renderNodeWith(claimed.node, scope, { mode: "value", valueOf: (name) => secrets[name] });
  if (used.kind === "unresolved") return refused(kept.value, unresolved(used));
  return { ...resolved, with: used.value as NodeDefinition["with"] };
}

function renderCheck(
  { node, maybeRepeated }: ClaimedNode,
  scope: TemplateScope,
  secrets: Readonly<Record<string, string>>,
): Rendered | null {
  const check = maybeRepeated ? checkOf(node) : undefined;
  if (check === undefined) return null;
  return renderNodeWith({ type: "http", with: check }, scope, { mode: "value", valueOf: (name) => secrets[name] });
}

/** A version never changes, and its nodes are kept with it. */
const knownSecrets = new WeakMap<NodeDefinition, readonly string[]>();

function secretsOfNode(node: NodeDefinition): readonly string[] {
  const names = knownSecrets.get(node) ?? secretsIn([node.with, checkOf(node)]);
  knownSecrets.set(node, names);
  return names;
}

const refused = (snapshot: unknown, fault: Fault): ResolvedInputs => ({ kind: "refused", snapshot, fault });

function unresolved({ problems }: Extract<Rendered, { kind: "unresolved" }>): Fault {
  const isTooLarge = problems.some((problem) => problem.code === "input_too_large");
  const told = problems.slice(0, 5).map((problem) => `${problem.path.join(".")}: ${problem.message}`);
  return {
    code: isTooLarge ? PLATFORM_CODES.inputTooLarge : PLATFORM_CODES.inputUnresolved,
    message: told.join("; "),
    retryable: false,
  };
}

const inputTooLarge = (bytes: number): Fault => ({
  code: PLATFORM_CODES.inputTooLarge,
  message: `The resolved input is ${bytes} bytes; at most ${MAX_INPUT_BYTES} are allowed. Hand on where the data is instead of the data.`,
  retryable: false,
});

const outputsTooLarge = ({ bytes, limit }: InputTooLarge): Fault => ({
  code: PLATFORM_CODES.inputTooLarge,
  message: `The outputs that its templates name are ${bytes} bytes together; at most ${limit} are allowed. Hand on where the data is instead of the data.`,
  retryable: false,
});
