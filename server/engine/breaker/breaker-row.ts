import { eq } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { type BreakerWhy, workerBreakers } from "@/db/schema/breakers";
import { platformEvents, workers } from "@/db/schema/platform";
import { type Breaker, type BreakerChange, type BreakerState, type BreakerStep, takesNone } from "@/server/domain/breaker/breaker";
import { DomainError } from "@/server/domain/failure";
import type { Ctx } from "@/server/engine/context";

export type BreakerRow = typeof workerBreakers.$inferSelect;

/** The row as the domain sees it. */
export const breakerOf = (row: BreakerRow): Breaker => ({
  state: row.state as BreakerState,
  since: row.since,
  until: row.until,
  nextProbeAt: row.nextProbeAt,
  probe: row.probeId !== null && row.probeAskedAt !== null ? { id: row.probeId, askedAt: row.probeAskedAt } : null,
  successes: row.successes,
  countFrom: row.countFrom,
});

/**
 * Locks a worker for a change of its breaker: its lease row, so that all who move it are in order, and a claim, which
 * shares that row, waits for nobody.
 */
export async function lockBreaker(tx: Tx, workerId: string): Promise<BreakerRow | null> {
  const worker = await findWorker(tx, workerId);
  if (!worker) throw new DomainError("not_found", `there is no worker "${workerId}"; the list of workers shows what there is`);
  return worker.row;
}

/** The same where the worker may have gone: null then. */
export async function findWorker(tx: Tx, workerId: string): Promise<{ readonly row: BreakerRow | null } | null> {
  const [worker] = await tx.select({ id: workers.id }).from(workers).where(eq(workers.id, workerId)).for("no key update");
  if (!worker) return null;
  const [row] = await tx.select().from(workerBreakers).where(eq(workerBreakers.workerId, workerId));
  return { row: row ?? null };
}

interface BreakerWrite {
  readonly workerId: string;
  readonly before: BreakerRow | null;
  readonly step: BreakerStep;
  readonly at: Date;
  /** Left out, it stays as it is until the worker is back. */
  readonly why?: BreakerWhy;
  readonly lastProbe?: { readonly at: string; readonly ok: boolean; readonly note: string } | undefined;
  readonly known?: { readonly lastSuccessAt: Date | null; readonly checkedUntil: Date };
}

/** Writes a step with its events, in the transaction that locked the worker. */
export async function writeBreaker(tx: Tx, ctx: Pick<Ctx, "ids">, write: BreakerWrite): Promise<void> {
  const { workerId, before, step, at } = write;
  const { next } = step;
  const set = {
    ...{ state: next.state, since: next.since, until: next.until, nextProbeAt: next.nextProbeAt, successes: next.successes },
    ...{ probeId: next.probe?.id ?? null, probeAskedAt: next.probe?.askedAt ?? null, countFrom: next.countFrom },
    lastProbe: write.lastProbe ?? (takesNone(next.state) ? (before?.lastProbe ?? null) : null),
    why: write.why ?? (takesNone(next.state) ? (before?.why ?? null) : null),
    lastSuccessAt: write.known?.lastSuccessAt ?? before?.lastSuccessAt ?? null,
    checkedUntil: write.known?.checkedUntil ?? before?.checkedUntil ?? at,
    revision: (before?.revision ?? 0) + 1,
  };
  await tx
    .insert(workerBreakers)
    .values({ workerId, ...set })
    .onConflictDoUpdate({ target: workerBreakers.workerId, set });
  if (step.changes.length === 0) return;
  await tx
    .update(workers)
    .set({ tripped: takesNone(next.state) })
    .where(eq(workers.id, workerId));
  const data = { workerId, state: next.state, why: set.why, lastProbe: write.lastProbe ?? null };
  const events = step.changes.map((change, index) => {
    // In their order: ids of one millisecond have none.
    const when = new Date(at.getTime() + index);
    return { id: ctx.ids.uuid(when), at: when, code: EVENT_CODES[change], message: MESSAGES[change](workerId), data };
  });
  await tx.insert(platformEvents).values(events);
}

const EVENT_CODES: Record<BreakerChange, string> = {
  opened: "APOLLO_BREAKER_OPENED_503",
  timeOver: "APOLLO_BREAKER_PROBING_503",
  probeAsked: "APOLLO_BREAKER_PROBE_ASKED_102",
  probeSucceeded: "APOLLO_BREAKER_PROBE_PASSED_200",
  probeFailed: "APOLLO_BREAKER_PROBE_FAILED_503",
  restored: "APOLLO_BREAKER_RESTORED_200",
  held: "APOLLO_WORKER_HELD_423",
  released: "APOLLO_WORKER_RELEASED_200",
  closedByHand: "APOLLO_BREAKER_CLOSED_200",
};

const MESSAGES: Record<BreakerChange, (workerId: string) => string> = {
  opened: (id) => `Worker ${id} fails too often: it takes no new node for 30 min, or until three probes in a row succeed.`,
  timeOver: (id) => `The time out of worker ${id} is over; it takes nodes again once three probes in a row succeed.`,
  probeAsked: (id) => `Worker ${id} was asked to show that it works.`,
  probeSucceeded: (id) => `A probe of worker ${id} succeeded.`,
  probeFailed: (id) => `A probe of worker ${id} failed; it begins to count anew.`,
  restored: (id) => `Worker ${id} takes nodes again: three probes in a row succeeded.`,
  held: (id) => `Worker ${id} is held by a person: it takes no new node until it is released.`,
  released: (id) => `Worker ${id} is released and takes nodes again.`,
  closedByHand: (id) => `A person closed the breaker of worker ${id}: it takes nodes again.`,
};
