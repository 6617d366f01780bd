import { asc, eq } from "drizzle-orm";
import { z } from "zod";
import { attempts, type executions, runs } from "@/db/schema/runs";
import { type NodeRow, nodesOf, type RunRow } from "@/db/statements/state/lock-runs";
import { executionsOf } from "@/db/statements/state/read-executions";
import { parseInput } from "@/server/domain/input";
import type { Actor } from "@/server/domain/run/model";
import { possibleNodeActions, possibleRunActions } from "@/server/domain/run/possible";
import type { AttemptOutcome, NodeState, RunState, SkipCause } from "@/server/domain/run/states";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { projectOfRun, runNotFound } from "./intervention";
import type { AttemptView, NodeView, RunView } from "./run-view";
import { loadVersion, type Version } from "./versions";

export type { AttemptView, NodeView, RunView } from "./run-view";

type AttemptRow = typeof attempts.$inferSelect;
type Execution = Pick<typeof executions.$inferSelect, "executionId" | "result" | "completedBy">;

/** A run with its nodes and their attempts, as screens and the REST surface show it. */
export async function loadRun(ctx: Ctx, given: string): Promise<RunView> {
  const runId = parseInput(z.uuid(), given);
  authorise(ctx, await projectOfRun(ctx, ctx.db, runId), "project.read");
  const [row] = await ctx.db.select().from(runs).where(eq(runs.id, runId));
  if (!row) throw runNotFound(runId);
  const version = await loadVersion(ctx.db, row.versionId);
  const nodes = await nodesOf(ctx.db, [runId]);
  const tried = await ctx.db
    .select()
    .from(attempts)
    .where(eq(attempts.runId, runId))
    .orderBy(asc(attempts.nodeKey), asc(attempts.generation), asc(attempts.no));
  const accepted = await executionsOf(
    ctx.db,
    nodes.filter((node) => node.state === "SUCCESS").map((node) => node.executionId),
  );
  return toView(row, version, nodes, tried, new Map(accepted.map((execution) => [execution.executionId, execution])));
}

function toView(
  row: RunRow,
  version: Version,
  nodes: readonly NodeRow[],
  tried: readonly AttemptRow[],
  accepted: ReadonlyMap<string, Execution>,
): RunView {
  const { metadata } = version.definition;
  const attemptsOf = new Map<string, AttemptView[]>(nodes.map((node) => [node.key, []]));
  for (const attempt of tried) attemptsOf.get(attempt.nodeKey)?.push(attemptView(attempt));
  return {
    id: row.id,
    projectId: row.projectId,
    state: row.state as RunState,
    pipeline: { id: row.pipelineId, name: metadata.name, title: metadata.title },
    version: { id: row.versionId, no: row.versionNo },
    params: row.params,
    businessKeys: row.businessKeys,
    trigger: triggerOf(row),
    rerunOf: row.rerunOf,
    traceId: row.traceId,
    pausedByPerson: row.pausedByPerson,
    cancelRequestedAt: row.cancelRequestedAt,
    times: { createdAt: row.createdAt, startedAt: row.startedAt, endedAt: row.endedAt },
    seq: row.seq,
    nodes: nodes.map((node) => nodeView(version, node, attemptsOf.get(node.key) ?? [], accepted.get(node.executionId))),
    edges: version.plan.nodes.flatMap((node) => node.needs.map((from) => ({ from, to: node.key }))),
    possible: possibleRunActions({ state: row.state as RunState, pausedByPerson: row.pausedByPerson }),
  };
}

export const triggerOf = (row: Pick<RunRow, "triggerKind" | "actor" | "scheduleId" | "scheduledAt">): RunView["trigger"] => ({
  kind: row.triggerKind as RunView["trigger"]["kind"],
  actor: row.actor as Actor,
  scheduleId: row.scheduleId,
  scheduledAt: row.scheduledAt,
});

function nodeView(version: Version, row: NodeRow, tried: readonly AttemptView[], execution: Execution | undefined): NodeView {
  const definition = version.node(row.key);
  const state = row.state as NodeState;
  return {
    key: row.key,
    title: definition.title ?? null,
    type: definition.type,
    group: row.workerGroup,
    needs: definition.needs,
    join: definition.join,
    state,
    skipCause: row.skipCause as SkipCause | null,
    held: row.held,
    executionId: row.executionId,
    generation: row.generation,
    token: row.token,
    output: execution?.result ?? null,
    completedBy: (execution?.completedBy ?? null) as NodeView["completedBy"],
    error: errorOf(row),
    maybeRepeated: row.maybeRepeated,
    times: {
      queuedAt: row.queuedAt,
      startedAt: row.startedAt,
      endedAt: row.endedAt,
      dueAt: row.dueAt,
      timeoutAt: row.timeoutAt,
      deadlineAt: row.deadlineAt,
    },
    attempts: tried,
    possible: possibleNodeActions(state),
  };
}

/** An attempt in the words of node states, so that screens need one list of looks. */
const SHOWN_AS: Readonly<Record<AttemptOutcome, NodeState>> = {
  succeeded: "SUCCESS",
  failed: "FAILED",
  timed_out: "TIMEOUT",
  lost: "FAILED",
  canceled: "CANCELED",
  handed_back: "QUEUED",
};

function attemptView(row: AttemptRow): AttemptView {
  const outcome = row.outcome as AttemptOutcome | null;
  return {
    generation: row.generation,
    no: row.no,
    state: outcome === null ? "RUNNING" : SHOWN_AS[outcome],
    outcome,
    executionId: row.executionId,
    token: row.token,
    times: {
      queuedAt: row.queuedAt,
      dispatchedAt: row.dispatchedAt,
      pickedUpAt: row.pickedUpAt,
      executingAt: row.executingAt,
      committedAt: row.committedAt,
    },
    worker: row.workerId === null ? null : { id: row.workerId, boot: row.workerBoot, fingerprint: row.worker?.fingerprint ?? null },
    error: errorOf(row),
    traceId: row.traceId,
    spanId: row.spanId,
    inputs: row.inputs,
    output: row.output ?? null,
    response: row.response,
    refs: row.refs,
    runState: row.runState as RunState,
    logBytes: row.logBytes,
    logTruncated: row.logTruncated,
    maybeRepeated: row.maybeRepeated,
    handedOn: row.handedOn,
  };
}

const errorOf = ({ errorCode, errorMessage }: { errorCode: string | null; errorMessage: string | null }) =>
  errorCode === null ? null : { code: errorCode, message: errorMessage ?? "" };
