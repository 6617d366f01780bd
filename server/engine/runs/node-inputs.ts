import { inArray } from "drizzle-orm";
import type { Executor } from "@/db/client";
import { executions } from "@/db/schema/runs";
import type { TemplateScope } from "@/server/domain/pipeline/render-template";
import type { OpenRun } from "./open-run";

/** Accepted outputs of some nodes of a run; every key is there, one that gave nothing is null. */
export async function outputsFor(db: Executor, open: OpenRun, keys: readonly string[]): Promise<Record<string, unknown>> {
  const outputs: Record<string, unknown> = {};
  const asked = new Map<string, string>();
  for (const key of keys) {
    const node = open.facts.nodes.get(key);
    outputs[key] = open.outputs.get(key) ?? null;
    if (node?.state === "SUCCESS" && !open.outputs.has(key)) asked.set(node.executionId, key);
  }
  if (asked.size === 0) return outputs;
  const rows = await db
    .select({ id: executions.executionId, result: executions.result })
    .from(executions)
    .where(inArray(executions.executionId, [...asked.keys()]));
  for (const { id, result } of rows) outputs[asked.get(id) ?? id] = result ?? null;
  return outputs;
}

export function scopeOf(open: OpenRun, outputs: Readonly<Record<string, unknown>>): TemplateScope {
  const { row } = open;
  return {
    params: row.params,
    nodes: Object.fromEntries(Object.entries(outputs).map(([key, output]) => [key, { output }])),
    run: { id: row.id, scheduledAt: row.scheduledAt?.toISOString() ?? null, trigger: row.triggerKind },
  };
}
