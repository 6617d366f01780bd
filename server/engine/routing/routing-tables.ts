import type { Executor } from "@/db/client";
import { readRoutingTables } from "@/db/statements/routing-tables";
import { codeRetrySchema } from "@/server/domain/codes/definition";
import { type Taught, taughtOf } from "@/server/domain/codes/taught";
import type { RetryDelays } from "@/server/domain/retry/by-code";
import type { RoutingTable } from "@/server/domain/routing/find-route";
import { rulesSchema, SHIPPED_RULES } from "@/server/domain/routing/rule";
import type { Ctx } from "@/server/engine/context";

/** What decides where a failure goes: the code that it is taught to be, and what the rules say of that code. */
export interface LiveRouting extends RoutingTable {
  readonly taught: Taught;
  /** The delays that the register keeps for a code (RTY-2). */
  readonly ofCodes: ReadonlyMap<string, RetryDelays>;
}

/** Of some projects, by project. */
export type Routing = ReadonlyMap<string, LiveRouting>;

/** A change is in force everywhere after so long; within it a process asks once, however many failures it decides on. */
export const MAX_AGE_MS = 3_000;
const MAX_KEPT = 1_000;
const kept = new Map<string, { readonly table: LiveRouting; readonly readAtMs: number }>();

export const SHIPPED_TABLE: RoutingTable = { version: 0, rules: SHIPPED_RULES };

/** What is live in these projects, at most `MAX_AGE_MS` old. Nothing is asked for where all of them are known. */
export async function loadRouting(ctx: Pick<Ctx, "clock" | "log">, db: Executor, projectIds: Iterable<string>): Promise<Routing> {
  const nowMs = ctx.clock.monotonicMs();
  const found = new Map<string, LiveRouting>();
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
    const live = row?.table ? tableOf(ctx, { projectId: id, ...row.table }) : SHIPPED_TABLE;
    const table = { ...live, taught: taughtOf(row?.taught ?? []), ofCodes: delaysOfCodes(row?.retries ?? {}) };
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

/** What this version of the engine cannot read is as if nothing were kept. */
function delaysOfCodes(retries: Readonly<Record<string, unknown>>): ReadonlyMap<string, RetryDelays> {
  return new Map(
    Object.entries(retries).flatMap(([code, stored]) => {
      const { data } = codeRetrySchema.safeParse(stored);
      return data ? [[code, { kind: "exponential", ...data }] as const] : [];
    }),
  );
}

function keep(projectId: string, table: LiveRouting, readAtMs: number): void {
  kept.delete(projectId);
  kept.set(projectId, { table, readAtMs });
  const [oldest] = kept.keys();
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
}

/** Whoever has changed a table or a mapping sees it at once in its own process. */
export const forgetRouting = (projectId: string): void => {
  kept.delete(projectId);
};
