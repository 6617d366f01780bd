import { and, eq, sql } from "drizzle-orm";
import type { Executor } from "@/db/client";
import { workers } from "@/db/schema/platform";
import { type BreakerState, takesNone } from "@/server/domain/breaker/breaker";
import type { Refusal } from "@/server/domain/run/refusal";
import type { WorkerLease } from "@/server/domain/run/work";
import { WORKER_LEASE_MS } from "./lease-term";

export interface Heartbeat {
  readonly refusing: Refusal | null;
  readonly report: Readonly<Record<string, unknown>>;
}

/** What its breaker tells a worker: whether to take nodes, and the probe that it is asked for. */
export interface BreakerOrder {
  readonly takesNone: boolean;
  readonly probeId: string | null;
}

export type Renewal =
  | { readonly kind: "renewed"; readonly draining: boolean; readonly breaker: BreakerOrder }
  /** It ran out before it was renewed: what ran under it may run elsewhere by now. Register again. */
  | { readonly kind: "lapsed" }
  /** Somebody registered under this name: another process, or this one by a registration whose answer was lost. */
  | { readonly kind: "taken"; readonly bootId: string; readonly hostname: string; readonly pid: number };

type Told = { readonly state: BreakerState; readonly probe: string | null } | null;
const breaker = sql<Told>`(select jsonb_build_object('state', b.state, 'probe', b.probe_id) from worker_breakers b where b.worker_id = ${workers.id})`;
const orderOf = (told: Told): BreakerOrder => ({ takesNone: told !== null && takesNone(told.state), probeId: told?.probe ?? null });

/** Prolongs a worker's lease with its heartbeat. A renewal changes no key, so that it waits for no claim. */
export async function renewWorker(ctx: { readonly db: Executor }, lease: WorkerLease, heartbeat: Heartbeat): Promise<Renewal> {
  const mine = and(eq(workers.id, lease.id), eq(workers.bootId, lease.bootId), eq(workers.epoch, lease.epoch));
  const [renewed] = await ctx.db
    .update(workers)
    .set({
      expiresAt: sql`clock_timestamp() + ${WORKER_LEASE_MS} * interval '1 millisecond'`,
      seenAt: sql`clock_timestamp()`,
      heartbeat: { ...heartbeat.report },
      refusing: heartbeat.refusing,
    })
    .where(and(mine, sql`${workers.expiresAt} > clock_timestamp()`))
    .returning({ draining: workers.draining, breaker });
  if (renewed) return { kind: "renewed", draining: renewed.draining, breaker: orderOf(renewed.breaker) };
  const [row] = await ctx.db
    .select({ bootId: workers.bootId, hostname: workers.hostname, pid: workers.pid })
    .from(workers)
    .where(eq(workers.id, lease.id));
  if (!row || row.bootId === lease.bootId) return { kind: "lapsed" };
  return { kind: "taken", ...row };
}
