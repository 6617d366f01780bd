import { and, desc, eq } from "drizzle-orm";
import type { Executor } from "@/db/client";
import { alerts } from "@/db/schema/alerts";
import { workerBreakers } from "@/db/schema/breakers";
import { pipelines } from "@/db/schema/pipelines";
import { workers } from "@/db/schema/platform";
import { attempts, nodeRuns, runs } from "@/db/schema/runs";
import type { BreakerState } from "@/server/domain/breaker/breaker";
import type { LinkFacts, LinkTarget } from "@/server/domain/links/action";
import type { NodeState, RunState } from "@/server/domain/run/states";

type Speaks = Pick<typeof alerts.$inferSelect, "runId" | "nodeKey" | "pipelineId">;

/** What the buttons of an alert act on: the node that it shows, with the worker that its last attempt ran on. */
export async function targetOf(db: Executor, { runId, nodeKey, pipelineId }: Speaks): Promise<LinkTarget> {
  if (runId === null || nodeKey === null) return { runId, nodeKey, pipelineId, workerId: null };
  const [last] = await db
    .select({ workerId: attempts.workerId })
    .from(attempts)
    .where(and(eq(attempts.runId, runId), eq(attempts.nodeKey, nodeKey)))
    .orderBy(desc(attempts.generation), desc(attempts.no))
    .limit(1);
  return { runId, nodeKey, pipelineId, workerId: last?.workerId ?? null };
}

export interface FoundFacts extends LinkFacts {
  /** Of the run, to be refused where it moves between this look and the deed. */
  readonly seq: number | null;
}

/** What a link acts on, as it is now. */
export async function loadLinkFacts(db: Executor, alertId: string, target: LinkTarget): Promise<FoundFacts> {
  const { runId, nodeKey, pipelineId, workerId } = target;
  const [alert] = await db
    .select({ acknowledgedBy: alerts.acknowledgedBy, resolvedAt: alerts.resolvedAt })
    .from(alerts)
    .where(eq(alerts.id, alertId));
  // The run before its node: a run that moves between the two has another seq when the link acts, and is looked at anew.
  const [run] =
    runId === null
      ? []
      : await db.select({ state: runs.state, seq: runs.seq, pausedByPerson: runs.pausedByPerson }).from(runs).where(eq(runs.id, runId));
  const [node] =
    runId === null || nodeKey === null
      ? []
      : await db
          .select({ state: nodeRuns.state, generation: nodeRuns.generation, token: nodeRuns.token })
          .from(nodeRuns)
          .where(and(eq(nodeRuns.runId, runId), eq(nodeRuns.key, nodeKey)));
  const [pipeline] =
    pipelineId === null
      ? []
      : await db
          .select({ enabled: pipelines.enabled, archivedAt: pipelines.archivedAt })
          .from(pipelines)
          .where(eq(pipelines.id, pipelineId));
  const [worker] =
    workerId === null
      ? []
      : await db
          .select({ draining: workers.draining, breaker: workerBreakers.state })
          .from(workers)
          .leftJoin(workerBreakers, eq(workerBreakers.workerId, workers.id))
          .where(eq(workers.id, workerId));
  return {
    alert: alert ? { acknowledgedBy: alert.acknowledgedBy, resolved: alert.resolvedAt !== null } : null,
    node: node ? { ...node, state: node.state as NodeState } : null,
    run: run ? { state: run.state as RunState, pausedByPerson: run.pausedByPerson } : null,
    pipeline: pipeline ? { enabled: pipeline.enabled, archived: pipeline.archivedAt !== null } : null,
    worker: worker ? { draining: worker.draining, breaker: (worker.breaker ?? "closed") as BreakerState } : null,
    seq: run?.seq ?? null,
  };
}
