import { inArray } from "drizzle-orm";
import type { Executor } from "@/db/client";
import { valves } from "@/db/schema/valves";
import { type SlotUse, slotUse } from "@/db/statements/pools/set-slots";
import type { NodeRow } from "@/db/statements/state/lock-runs";
import { groupKey, poolIn, valveIn } from "@/server/domain/pool/limit-key";
import type { LimitWait, ValveWait } from "./run-view";

/** Of the queued nodes those that something keeps from starting, by key: a stop valve, their pool where it is full or gone, their group. */
export async function limitWaits(db: Executor, nodes: readonly NodeRow[]): Promise<ReadonlyMap<string, LimitWait | ValveWait>> {
  const queued = nodes.filter((node) => node.state === "QUEUED" && !node.held);
  const stopped = await valveWaits(db, new Set(queued.flatMap(({ poolKey }) => valveIn(poolKey) ?? [])));
  const free = queued.filter(({ poolKey }) => valveIn(poolKey) === null);
  const keys = free.flatMap(({ poolKey, workerGroup }) => [...(poolKey === "" ? [] : [poolKey]), groupKey(workerGroup)]);
  const use = await slotUse(db, [...new Set(keys)]);
  return new Map(
    queued.flatMap((node) => {
      const no = valveIn(node.poolKey);
      const wait = no === null ? (poolWait(node.poolKey, use) ?? groupWait(node.workerGroup, use)) : (stopped.get(no) ?? null);
      return wait ? [[node.key, wait] as const] : [];
    }),
  );
}

async function valveWaits(db: Executor, numbers: ReadonlySet<number>): Promise<ReadonlyMap<number, ValveWait>> {
  if (numbers.size === 0) return new Map();
  const rows = await db
    .select()
    .from(valves)
    .where(inArray(valves.no, [...numbers]));
  return new Map(
    rows.map(({ no, label, reason, deferring, closedBy, closedAt }) => [
      no,
      { kind: "valve", no, label, reason, deferring, by: closedBy.label, since: closedAt },
    ]),
  );
}

function poolWait(key: string, use: ReadonlyMap<string, SlotUse>): LimitWait | null {
  const name = poolIn(key);
  if (name === null) return null;
  const pool = use.get(key);
  if (!pool) return { kind: "pool", name, slots: null, taken: 0 };
  return pool.free > 0 ? null : { kind: "pool", name, slots: pool.slots, taken: pool.taken };
}

function groupWait(name: string, use: ReadonlyMap<string, SlotUse>): LimitWait | null {
  const group = use.get(groupKey(name));
  return !group || group.free > 0 ? null : { kind: "group", name, slots: group.slots, taken: group.taken };
}
