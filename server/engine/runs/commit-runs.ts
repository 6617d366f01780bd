import type { Tx } from "@/db/client";
import { groupsWaitingFor } from "@/db/statements/pools/groups-waiting";
import { applyDecisions, type StateWrites } from "@/db/statements/state/apply-decisions";
import { holdNodes } from "@/db/statements/state/hold-nodes";
import { isTerminalRun, type RunState } from "@/server/domain/run/states";
import type { Ctx } from "@/server/engine/context";
import { topUp } from "@/server/engine/pools/top-up";
import type { OpenRun } from "./open-run";
import { resolveWaits } from "./resolve-waits";
import { writesOf } from "./writes";

/** A claim came between the decision and its write; the transaction is repeated and decides on what it finds then. */
export class LostRace extends Error {
  readonly code = "40001";
}

/** What has to be told once the transaction is committed. */
export interface Committed {
  readonly groups: readonly string[];
  readonly projectIds: readonly string[];
  /** Pipelines of which a run has ended: a waiting one may have its turn. */
  readonly endedPipelineIds: readonly string[];
  /** Keys of slots that are free again: what waits for one may start now. */
  readonly freed: readonly string[];
}

/** Writes all that was decided on some open runs; nothing of it is visible before the caller's commit. */
export async function writeRuns(ctx: Pick<Ctx, "ids" | "log">, tx: Tx, opens: readonly OpenRun[], now: Date): Promise<Committed> {
  for (const open of opens) await resolveWaits(tx, open, now);
  const touched = opens.filter((open) => open.log.length > 0 || open.moved);
  const freed = await writePasses(tx, writesOf(ctx, touched, now));
  for (const { row, facts } of touched) {
    if (row.pausedByPerson !== facts.pausedByPerson) await holdNodes(tx, row.id, facts.pausedByPerson);
  }
  return { ...committedOf(touched), freed };
}

/** Answers with the keys of the slots that it has freed. */
export async function writePasses(tx: Tx, passes: readonly StateWrites[]): Promise<readonly string[]> {
  const all = new Set<string>();
  for (const pass of passes) {
    if (Object.values(pass).every((rows) => rows.length === 0)) continue;
    const { refused, freed } = await applyDecisions(tx, pass);
    if (refused.length > 0) throw new LostRace(`${refused.length} runs had moved on since they were read`);
    for (const key of freed) all.add(key);
  }
  return [...all];
}

export function committedOf(opens: readonly OpenRun[]): Committed {
  const groups = new Set<string>();
  const ended = new Set<string>();
  for (const open of opens) {
    for (const entry of open.log) {
      if (entry.kind !== "node" || entry.change.to !== "QUEUED" || open.facts.pausedByPerson) continue;
      const stillQueued = open.facts.nodes.get(entry.change.key)?.state === "QUEUED";
      const group = open.version.plan.byKey.get(entry.change.key)?.group;
      if (stillQueued && group !== undefined) groups.add(group);
    }
    if (freesTurn(open)) ended.add(open.row.pipelineId);
  }
  // A resume makes nothing ready, yet what it held may be taken now.
  for (const open of opens.filter(({ row, facts }) => row.pausedByPerson && !facts.pausedByPerson)) {
    for (const node of open.version.plan.nodes) {
      if (open.facts.nodes.get(node.key)?.state === "QUEUED") groups.add(node.group);
    }
  }
  const projectIds = [...new Set(opens.map((open) => open.row.projectId))];
  return { groups: [...groups], projectIds, endedPipelineIds: [...ended], freed: [] };
}

/** Only a limited pipeline, or a schedule, can have a run that waits for the end of this one. */
function freesTurn({ row, facts, version }: OpenRun): boolean {
  const ended = isTerminalRun(facts.state) && !isTerminalRun(row.state as RunState);
  return ended && (version.definition.spec.concurrency !== undefined || row.scheduleId !== null);
}

/** Rings and tells, after the commit. Losing this costs latency alone. */
export async function announce(
  ctx: Pick<Ctx, "db" | "log" | "ports">,
  committed: Pick<Committed, "groups" | "projectIds"> & Partial<Pick<Committed, "freed">>,
): Promise<void> {
  for (const projectId of committed.projectIds) ctx.ports.live.changed(projectId);
  const waiting = await groupsOfFreed(ctx, committed.freed ?? []);
  const groups = [...new Set([...committed.groups, ...waiting])];
  if (groups.length > 0) await ctx.ports.doorbell.ring(groups);
}

/** A slot may be free for another group than the one that had it, which hears of it in no other way before it looks by itself. */
async function groupsOfFreed(ctx: Pick<Ctx, "db" | "log">, freed: readonly string[]): Promise<readonly string[]> {
  if (freed.length === 0) return [];
  try {
    await topUp(ctx);
    return await groupsWaitingFor(ctx.db, freed);
  } catch (error) {
    ctx.log.warn({ freed, err: error }, "who waits for the freed slots cannot be told now; each group looks by itself in a second");
    return [];
  }
}
