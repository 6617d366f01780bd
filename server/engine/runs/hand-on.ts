import type { Executor } from "@/db/client";
import type { NodeChange } from "@/server/domain/run/model";
import { type AttemptReport, type ClaimedNode, MAX_HOP_MS, MAX_HOPS, type WorkerLease } from "@/server/domain/run/work";
import type { Ctx } from "@/server/engine/context";
import { inputsOf, readsIn } from "./node-inputs";
import { feed, type OpenRun } from "./open-run";

export interface Taker {
  readonly worker: WorkerLease;
  /** Where it is left out, it is read with the lease in the statement that writes. */
  readonly fingerprint?: unknown;
  readonly free: Readonly<Record<string, number>>;
  readonly now: Date;
  /** What has a limit needs a slot, which only a claim takes. */
  isLimited(group: string): boolean;
}

export interface Taken {
  readonly open: OpenRun;
  readonly key: string;
  readonly spanId: string;
  readonly hops: number;
  readonly stayedSince: Date;
}

/** How long a run has stayed with the worker that reports of it. */
interface Stay {
  readonly hops: number;
  readonly since: Date;
}

/**
 * The worker takes what its reports have just made ready, as far as it has free slots, in the commit that makes it ready.
 * A run that has stayed for long enough goes back to the queue, so that the claim's order, and with it everyone else, has
 * its turn. The slots of a worker are one pool: what is taken for one group is taken from all.
 */
export function handOn(ctx: Pick<Ctx, "ids">, opens: readonly OpenRun[], reports: readonly AttemptReport[], taker: Taker): Taken[] {
  const free = new Map(Object.entries(taker.free));
  let left = Math.max(0, ...free.values());
  const taken: Taken[] = [];
  if (left === 0) return taken;
  const stays = staysOf(reports);
  for (const open of opens) {
    const stay = stays.get(open.row.id);
    if (!stay || stay.hops >= MAX_HOPS || taker.now.getTime() - stay.since.getTime() > MAX_HOP_MS) continue;
    for (const { key } of madeReady(open)) {
      const planned = open.version.plan.byKey.get(key);
      const group = planned?.group ?? "";
      const room = free.get(group) ?? 0;
      if (left <= 0 || room <= 0 || planned?.pool !== null || taker.isLimited(group)) continue;
      const spanId = ctx.ids.randomHex(8);
      const { worker, fingerprint, now } = taker;
      const actor = { kind: "worker", id: worker.id, label: worker.id } as const;
      const told = { actor, taker: { id: worker.id, bootId: worker.bootId, fingerprint, spanId } };
      if (feed(open, { kind: "handedOn", key }, now, told).kind !== "applied") continue;
      free.set(group, room - 1);
      left -= 1;
      taken.push({ open, key, spanId, hops: stay.hops + 1, stayedSince: stay.since });
    }
  }
  return taken;
}

function staysOf(reports: readonly AttemptReport[]): ReadonlyMap<string, Stay> {
  const stays = new Map<string, Stay>();
  for (const { runId, hops, stayedSince, times } of reports) {
    const known = stays.get(runId);
    const sinceMs = Math.min(known?.since.getTime() ?? Number.POSITIVE_INFINITY, (stayedSince ?? times.pickedUpAt).getTime());
    stays.set(runId, { hops: Math.max(known?.hops ?? 0, hops), since: new Date(sinceMs) });
  }
  return stays;
}

const madeReady = (open: OpenRun): NodeChange[] =>
  open.log.flatMap((entry) => (entry.kind === "node" && entry.change.event === "ready" ? [entry.change] : []));

/**
 * What the worker needs to execute the nodes that it has taken. What they read is asked for in one statement, and only where
 * it is not known: mostly nothing, since the worker has just reported it. `known` are outputs by execution.
 */
export async function claimedNodes(
  db: Executor,
  taken: readonly Taken[],
  now: Date,
  known: (open: OpenRun) => ReadonlyMap<string, unknown> = () => new Map(),
): Promise<ClaimedNode[]> {
  const claimed = taken.flatMap((each) => claimedNode(each, now));
  const outputs = new Map<string, unknown>();
  const wanted = claimed.map(({ open, reads }) => {
    const told = readsIn(open, reads);
    const remembered = known(open);
    for (const id of told.reads.values()) if (id !== null && remembered.has(id)) outputs.set(id, remembered.get(id));
    for (const [id, output] of told.known) outputs.set(id, output);
    return told.reads;
  });
  const inputs = await inputsOf(db, wanted, outputs);
  return claimed.map(({ node }, index) => ({ ...node, ...(inputs[index] ?? { outputs: {} }) }));
}

interface Claimed {
  readonly open: OpenRun;
  readonly node: ClaimedNode;
  readonly reads: readonly string[];
}

/** Nothing where a later step of the same commit has taken the node away again. */
function claimedNode({ open, key, spanId, hops, stayedSince }: Taken, now: Date): Claimed[] {
  const facts = open.facts.nodes.get(key);
  const planned = open.version.plan.byKey.get(key);
  if (!facts || !planned || facts.state !== "RUNNING") return [];
  const { row, version } = open;
  const limits = [now.getTime() + planned.timeoutMs, facts.deadlineAt?.getTime() ?? Number.POSITIVE_INFINITY];
  const node: ClaimedNode = {
    runId: row.id,
    projectId: row.projectId,
    pipelineId: row.pipelineId,
    pipelineName: version.definition.metadata.name,
    versionId: version.id,
    key,
    generation: facts.generation,
    attemptNo: facts.attemptNo,
    executionId: facts.executionId,
    token: facts.token,
    group: planned.group,
    node: version.node(key),
    domain: version.plan.domain,
    params: row.params,
    outputs: {},
    run: { id: row.id, scheduledAt: row.scheduledAt?.toISOString() ?? null, trigger: row.triggerKind },
    businessKeys: row.businessKeys,
    traceId: row.traceId,
    spanId,
    timeoutAt: new Date(Math.min(...limits)),
    queuedAt: now,
    dispatchedAt: now,
    maybeRepeated: facts.maybeRepeated,
    hops,
    stayedSince,
    storedResult: null,
  };
  return [{ open, node, reads: planned.reads }];
}
