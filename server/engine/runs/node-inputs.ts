import type { Executor } from "@/db/client";
import { executionsOf, resultSizes } from "@/db/statements/state/read-executions";
import type { TemplateScope } from "@/server/domain/pipeline/render-template";
import { type InputTooLarge, MAX_INPUT_BYTES } from "@/server/domain/run/work";
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
  known: ReadonlyMap<string, unknown> = new Map(),
): Promise<readonly NodeInputs[]> {
  const unknown = new Set(wanted.flatMap(idsIn).filter((id) => !known.has(id)));
  const stored = await resultSizes(db, [...unknown]);
  const sizeOf = (id: string) => (known.has(id) ? Buffer.byteLength(JSON.stringify(known.get(id) ?? null)) : (stored.get(id) ?? 0));
  const sizes = wanted.map((reads) => idsIn(reads).reduce((sum, id) => sum + sizeOf(id), 0));
  const fits = (index: number) => (sizes[index] ?? 0) <= MAX_INPUT_BYTES;
  const asked = new Set(wanted.filter((_, index) => fits(index)).flatMap(idsIn));
  const rows = await executionsOf(
    db,
    [...asked].filter((id) => unknown.has(id)),
  );
  const results = new Map([...known, ...rows.map(({ executionId, result }) => [executionId, result] as const)]);
  return wanted.map((reads, index) =>
    fits(index)
      ? { outputs: Object.fromEntries([...reads].map(([key, id]) => [key, id === null ? null : (results.get(id) ?? null)])) }
      : { outputs: {}, inputTooLarge: { bytes: sizes[index] ?? 0, limit: MAX_INPUT_BYTES } },
  );
}

const idsIn = (reads: Reads): string[] => [...reads.values()].filter((id) => id !== null);

/** What a node of an open run reads; outputs that this very transaction accepts are not asked for again. */
export async function inputsIn(db: Executor, open: OpenRun, keys: readonly string[]): Promise<NodeInputs> {
  const reads = new Map<string, string | null>();
  const known = new Map<string, unknown>();
  for (const key of keys) {
    const node = open.facts.nodes.get(key);
    reads.set(key, node?.state === "SUCCESS" ? node.executionId : null);
    if (node?.state === "SUCCESS" && open.outputs.has(key)) known.set(node.executionId, open.outputs.get(key));
  }
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
