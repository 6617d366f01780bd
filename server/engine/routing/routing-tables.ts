import type { Executor } from "@/db/client";
import { readRoutingTables } from "@/db/statements/routing-tables";
import type { RoutingTable } from "@/server/domain/routing/find-route";
import { rulesSchema, SHIPPED_RULES } from "@/server/domain/routing/rule";
import type { Ctx } from "@/server/engine/context";

/** The tables of some projects, by project. */
export type Routing = ReadonlyMap<string, RoutingTable>;

/** A change is in force everywhere after so long; within it a process asks once, however many failures it decides on. */
export const MAX_AGE_MS = 3_000;
const MAX_KEPT = 1_000;
const kept = new Map<string, { readonly table: RoutingTable; readonly readAtMs: number }>();

export const SHIPPED_TABLE: RoutingTable = { version: 0, rules: SHIPPED_RULES };

/** What is live in these projects, at most `MAX_AGE_MS` old. Nothing is asked for where all of them are known. */
export async function loadRouting(ctx: Pick<Ctx, "clock" | "log">, db: Executor, projectIds: Iterable<string>): Promise<Routing> {
  const nowMs = ctx.clock.monotonicMs();
  const found = new Map<string, RoutingTable>();
  const missing: string[] = [];
  for (const id of new Set(projectIds)) {
    const known = kept.get(id);
    if (known && nowMs - known.readAtMs < MAX_AGE_MS) found.set(id, known.table);
    else missing.push(id);
  }
  if (missing.length === 0) return found;
  const rows = new Map((await readRoutingTables(db, missing)).map((row) => [row.projectId, row]));
  for (const id of missing) {
    const row = rows.get(id);
    const table = row ? tableOf(ctx, row) : SHIPPED_TABLE;
    found.set(id, table);
    keep(id, table, nowMs);
  }
  return found;
}

/** A table that this version of the engine cannot read routes nothing: every node's own policy decides, and a run goes on. */
function tableOf(
  ctx: Pick<Ctx, "log">,
  row: { readonly projectId: string; readonly version: number; readonly rules: unknown },
): RoutingTable {
  const parsed = rulesSchema.safeParse(row.rules);
  if (!parsed.success)
    ctx.log.error({ projectId: row.projectId, version: row.version }, "a routing table cannot be read; nothing is routed");
  return { version: row.version, rules: parsed.data ?? [] };
}

function keep(projectId: string, table: RoutingTable, readAtMs: number): void {
  kept.delete(projectId);
  kept.set(projectId, { table, readAtMs });
  const [oldest] = kept.keys();
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
}

/** Whoever has changed a table sees it at once in its own process. */
export const forgetRouting = (projectId: string): void => {
  kept.delete(projectId);
};
