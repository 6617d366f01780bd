import type { Executor } from "@/db/client";
import { type SlotUse, slotUse } from "@/db/statements/pools/set-slots";
import type { NodeRow } from "@/db/statements/state/lock-runs";
import { groupKey, poolIn } from "@/server/domain/pool/limit-key";
import type { LimitWait } from "./run-view";

/** Of the queued nodes those that a limit keeps from starting, by key: their pool where it is full or gone, else their group. */
export async function limitWaits(db: Executor, nodes: readonly NodeRow[]): Promise<ReadonlyMap<string, LimitWait>> {
  const queued = nodes.filter((node) => node.state === "QUEUED" && !node.held);
  const keys = queued.flatMap(({ poolKey, workerGroup }) => [...(poolKey === "" ? [] : [poolKey]), groupKey(workerGroup)]);
  const use = await slotUse(db, [...new Set(keys)]);
  return new Map(
    queued.flatMap((node) => {
      const wait = poolWait(node.poolKey, use) ?? groupWait(node.workerGroup, use);
      return wait ? [[node.key, wait] as const] : [];
    }),
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
