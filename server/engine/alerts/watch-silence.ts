import { and, eq, inArray, isNull } from "drizzle-orm";
import type { Executor, Tx } from "@/db/client";
import { alerts } from "@/db/schema/alerts";
import type { Occurrence } from "@/server/domain/alert/model";
import {
  GROWING_LOOKS,
  judgeDeferred,
  judgeGroup,
  judgeLongNode,
  judgeSchedule,
  type SilenceAlarm,
} from "@/server/domain/alert/silence-alarm";
import { type Ctx, inTransaction } from "@/server/engine/context";
import type { Fence } from "@/server/engine/leadership/fence";
import { requireTerm, requireTermToLook } from "@/server/engine/leadership/require-term";
import type { Recover } from "@/server/engine/runs/recover";
import { storedNow } from "@/server/engine/stored-clock";
import { decideIn } from "./decide-new";
import { lockAlerts } from "./lock-alerts";
import { deferredTasks, leaderFact, longNodes, type Silent, silentSchedules, stalledNodes, waitingGroups } from "./silence-facts";

type Found = Silent<SilenceAlarm>;

/**
 * Looks for what should have happened and did not (ALT-5): each alarm opens once, with its chain of checks, and resolves by
 * itself when what was missing is there. How long queues were is remembered for the time of one leader.
 */
export function createSilenceWatch(): Recover {
  const depths = new Map<string, number[]>();
  return async (ctx, fence) => {
    const now = await storedNow(ctx, ctx.db);
    const found = await findSilent(ctx.db, fence, now, depths);
    const open = await openSilences(ctx.db);
    const known = new Set(open.map(({ projectId, key }) => `${projectId} ${key}`));
    const fresh = found.filter(({ projectId, task }) => !known.has(`${projectId} silence:${task}`));
    const here = new Set(found.map(({ projectId, task }) => `${projectId} silence:${task}`));
    const over = open.filter(({ projectId, key }) => !here.has(`${projectId} ${key}`));
    if (fresh.length === 0 && over.length === 0) {
      await requireTermToLook(ctx.db, fence);
      return { count: 0, more: false };
    }
    await inTransaction(ctx, async (tx) => {
      await requireTerm(tx, fence);
      for (const projectId of [...new Set([...fresh, ...over].map((each) => each.projectId))].sort()) {
        await lockAlerts(tx, projectId);
        await endSilences(
          tx,
          over.filter((each) => each.projectId === projectId),
          now,
        );
        await raise(ctx, tx, projectId, fresh, now);
      }
    });
    for (const projectId of new Set([...fresh, ...over].map((each) => each.projectId))) ctx.ports.live.changed(projectId);
    return { count: fresh.length + over.length, more: false };
  };
}

async function findSilent(db: Executor, fence: Fence, now: Date, depths: Map<string, number[]>): Promise<Found[]> {
  const leader = await leaderFact(db, fence.name);
  const judged = <Fact>({ fact, ...of }: Silent<Fact>, alarm: SilenceAlarm | null): Found[] => (alarm ? [{ ...of, fact: alarm }] : []);
  const groups = await waitingGroups(db);
  const seen = groups.map(({ projectId, task }) => `${projectId} ${task}`);
  for (const key of depths.keys()) if (!seen.includes(key)) depths.delete(key);
  const ofGroups = groups.flatMap((each) => {
    const key = `${each.projectId} ${each.task}`;
    const looks = [...(depths.get(key) ?? []), each.fact.queued].slice(-GROWING_LOOKS);
    depths.set(key, looks);
    return judged(each, judgeGroup({ ...each.fact, depths: looks }, leader, now));
  });
  const ofSchedules = (await silentSchedules(db)).flatMap((each) => judged(each, judgeSchedule(each.fact, leader, now)));
  const ofNodes = [...(await longNodes(db)), ...(await stalledNodes(db))].flatMap((each) => judged(each, judgeLongNode(each.fact, now)));
  const ofTasks = (await deferredTasks(db)).flatMap((each) => judged(each, judgeDeferred(each.fact)));
  return [...ofSchedules, ...ofGroups, ...ofNodes, ...ofTasks];
}

const openSilences = (db: Executor) =>
  db
    .select({ id: alerts.id, projectId: alerts.projectId, key: alerts.key })
    .from(alerts)
    .where(and(isNull(alerts.resolvedAt), eq(alerts.kind, "silence")));

async function endSilences(tx: Tx, over: readonly { readonly id: string }[], now: Date): Promise<void> {
  if (over.length === 0) return;
  const ids = over.map(({ id }) => id);
  await tx
    .update(alerts)
    .set({ resolvedAt: now, resolvedAs: "itself" })
    .where(and(inArray(alerts.id, ids), isNull(alerts.resolvedAt)));
}

async function raise(ctx: Ctx, tx: Tx, projectId: string, fresh: readonly Found[], now: Date): Promise<void> {
  const own = fresh.filter((each) => each.projectId === projectId);
  if (own.length === 0) return;
  const occurrences = own.map(
    ({ task, label, owner, pipelineId, runId, nodeKey, fact }): Occurrence => ({
      ...{ ref: `silence/${task}/${now.getTime()}`, at: now, code: fact.code, message: fact.message, kind: "silence", suspended: false },
      object: { task, runId, nodeKey, pipelineId, label, owner },
      taskClass: "basic",
      codeGrade: null,
      health: { runs: 0, unhealthy: 0, inARow: 0 },
    }),
  );
  await decideIn(ctx, tx, projectId, occurrences, new Map(own.map(({ task, fact }) => [task, fact.checks])));
}
