import type { Executor } from "@/db/client";
import { resultsWithin } from "@/db/statements/state/read-executions";
import type { TemplateScope } from "@/server/domain/pipeline/render-template";
import { isDegraded } from "@/server/domain/run/join";
import { standIns } from "@/server/domain/run/plan";
import { type InputTooLarge, MAX_INPUT_BYTES, MAX_OUTPUT_BYTES } from "@/server/domain/run/work";
import type { OpenRun } from "./open-run";

/** What one node reads: the execution that holds each output, or null where a predecessor gave nothing. */
export type Reads = ReadonlyMap<string, string | null>;

export interface NodeInputs {
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly inputTooLarge?: InputTooLarge | undefined;
}

/**
 * Accepted outputs for some nodes, in their order; every key is there. They are measured before they are loaded, so that
 * no join, however wide, fills the memory of whoever reads it. `known` is what the caller holds already, by execution.
 */
export async function inputsOf(
  db: Executor,
  wanted: readonly Reads[],
  known: ReadonlyMap<string, unknown> = NOTHING,
): Promise<readonly NodeInputs[]> {
  const unknown = new Set(wanted.flatMap((reads) => idsIn(reads).filter((id) => !known.has(id))));
  // Most often all that is needed comes with this one answer, or nothing has to be asked for.
  const stored = new Map((await resultsWithin(db, [...unknown], MAX_INPUT_BYTES)).map((each) => [each.id, each]));
  const sizeOf = (id: string) => (known.has(id) ? jsonBytes(known.get(id)) : (stored.get(id)?.bytes ?? 0));
  const sizes = wanted.map((reads) => idsIn(reads).reduce((sum, id) => sum + sizeOf(id), 0));
  const fits = (index: number) => (sizes[index] ?? 0) <= MAX_INPUT_BYTES;
  const asked = new Set(wanted.filter((_, index) => fits(index)).flatMap(idsIn));
  const omitted = [...asked].filter((id) => stored.get(id)?.omitted);
  for (const each of await resultsWithin(db, omitted, omitted.length * MAX_OUTPUT_BYTES * 2)) stored.set(each.id, each);
  const resultOf = (id: string) => (known.has(id) ? known.get(id) : stored.get(id)?.result) ?? null;
  return wanted.map((reads, index) =>
    fits(index)
      ? { outputs: Object.fromEntries([...reads].map(([key, id]) => [key, id === null ? null : resultOf(id)])) }
      : { outputs: {}, inputTooLarge: { bytes: sizes[index] ?? 0, limit: MAX_INPUT_BYTES } },
  );
}

const NOTHING: ReadonlyMap<string, unknown> = new Map();
const idsIn = (reads: Reads): string[] => [...reads.values()].filter((id) => id !== null);
const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value ?? null));

/** What a node of an open run reads, and what of it is known already: outputs that this very commit accepts. */
export function readsIn(open: OpenRun, keys: readonly string[]): { readonly reads: Reads; readonly known: ReadonlyMap<string, unknown> } {
  const reads = new Map<string, string | null>();
  const known = new Map<string, unknown>();
  for (const key of keys) {
    const source = sourceOf(open, key);
    const node = open.facts.nodes.get(source);
    reads.set(key, node?.state === "SUCCESS" ? node.executionId : null);
    if (node?.state === "SUCCESS" && open.outputs.has(source)) known.set(node.executionId, open.outputs.get(source));
  }
  return { reads, known };
}

/** Whose output is read where a template names `key`: of a degraded node, that of what stands in for it. */
function sourceOf({ facts, version }: OpenRun, key: string): string {
  const isDegradedNow = (each: string) => isDegraded(facts.nodes.get(each) ?? { state: "PENDING", skipCause: null });
  if (!isDegradedNow(key)) return key;
  return standIns(version.plan, key).find((each) => !isDegradedNow(each)) ?? key;
}

export async function inputsIn(db: Executor, open: OpenRun, keys: readonly string[]): Promise<NodeInputs> {
  const { reads, known } = readsIn(open, keys);
  const [inputs] = await inputsOf(db, [reads], known);
  return inputs ?? { outputs: {} };
}

export const tooLargeMessage = ({ bytes, limit }: InputTooLarge): string =>
  `the outputs that it reads are ${bytes} bytes together; at most ${limit} are allowed`;

export function scopeOf(open: OpenRun, outputs: Readonly<Record<string, unknown>>): TemplateScope {
  const { row } = open;
  return {
    params: row.params,
    nodes: Object.fromEntries(Object.entries(outputs).map(([key, output]) => [key, { output }])),
    run: { id: row.id, scheduledAt: row.scheduledAt?.toISOString() ?? null, trigger: row.triggerKind },
  };
}
