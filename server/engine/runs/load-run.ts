import { asc, eq, getTableColumns, sql } from "drizzle-orm";
import { z } from "zod";
import { attempts, runs } from "@/db/schema/runs";
import { type NodeRow, nodesOf, type RunRow } from "@/db/statements/state/lock-runs";
import { type AcceptedOutput, type AttemptBodies, acceptedWithin, bodiesOf } from "@/db/statements/state/read-attempts";
import { parseInput } from "@/server/domain/input";
import type { Actor } from "@/server/domain/run/model";
import { possibleNodeActions, possibleRunActions } from "@/server/domain/run/possible";
import type { AttemptOutcome, NodeState, RunState, SkipCause } from "@/server/domain/run/states";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { projectOfRun, runNotFound } from "./intervention";
import { limitWaits } from "./limit-waits";
import type { AttemptView, LimitWait, NodeView, RunView, ValveWait } from "./run-view";
import { loadVersion, type Version } from "./versions";

export type { AttemptView, NodeView, RunView } from "./run-view";

const { inputs: _inputs, output: _output, response: _response, ...COLUMNS } = getTableColumns(attempts);
/** The count stands in the response, which may be large and left out. */
const HEAD = { ...COLUMNS, innerRetries: sql<number>`coalesce((${attempts.response} #>> '{innerRetries,count}')::integer, 0)` };
type AttemptHead = Omit<typeof attempts.$inferSelect, "inputs" | "output" | "response"> & { readonly innerRetries: number };

/** A wide run of large outputs would be hundreds of megabytes, and anew with each of its steps. */
const BODY_LIMITS = { each: 64_000, total: 4_000_000 };

/** A run with its nodes and their attempts, as screens and the REST surface show it; what is large is left out and marked. */
export async function loadRun(ctx: Ctx, given: string): Promise<RunView> {
  const runId = parseInput(z.uuid(), given);
  authorise(ctx, await projectOfRun(ctx, ctx.db, runId), "project.read");
  const [row] = await ctx.db.select().from(runs).where(eq(runs.id, runId));
  if (!row) throw runNotFound(runId);
  const version = await loadVersion(ctx.db, row.versionId);
  const nodes = await nodesOf(ctx.db, [runId]);
  const tried = await ctx.db
    .select(HEAD)
    .from(attempts)
    .where(eq(attempts.runId, runId))
    .orderBy(asc(attempts.nodeKey), asc(attempts.generation), asc(attempts.no));
  const bodies = new Map((await bodiesOf(ctx.db, runId, BODY_LIMITS)).map((each) => [attemptId(each.node_key, each), each]));
  const accepted = await acceptedWithin(
    ctx.db,
    nodes.filter((node) => node.state === "SUCCESS").map((node) => node.executionId),
    BODY_LIMITS,
  );
  const views = tried.map((head) => ({ key: head.nodeKey, view: attemptView(head, bodies.get(attemptId(head.nodeKey, head))) }));
  const waits = await limitWaits(ctx.db, nodes);
  return toView(row, version, { nodes, waits }, views, new Map(accepted.map((execution) => [execution.execution_id, execution])));
}

const attemptId = (key: string, { generation, no }: { readonly generation: number; readonly no: number }) => `${key}/${generation}/${no}`;

function toView(
  row: RunRow,
  version: Version,
  { nodes, waits }: { readonly nodes: readonly NodeRow[]; readonly waits: ReadonlyMap<string, LimitWait | ValveWait> },
  tried: readonly { readonly key: string; readonly view: AttemptView }[],
  accepted: ReadonlyMap<string, AcceptedOutput>,
): RunView {
  const { metadata } = version.definition;
  const attemptsOf = new Map<string, AttemptView[]>(nodes.map((node) => [node.key, []]));
  for (const { key, view } of tried) attemptsOf.get(key)?.push(view);
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
    nodes: nodes.map((node) => ({
      ...nodeView(version, node, attemptsOf.get(node.key) ?? [], accepted.get(node.executionId)),
      waitsFor: waits.get(node.key) ?? null,
    })),
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

function nodeView(
  version: Version,
  row: NodeRow,
  tried: readonly AttemptView[],
  execution: AcceptedOutput | undefined,
): Omit<NodeView, "waitsFor"> {
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
    outputOmitted: execution?.omitted ?? false,
    completedBy: (execution?.completed_by ?? null) as NodeView["completedBy"],
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

function attemptView(row: AttemptHead, bodies: AttemptBodies | undefined): AttemptView {
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
    inputs: bodies?.inputs ?? null,
    output: bodies?.output ?? null,
    response: bodies?.response ?? null,
    bodiesOmitted: bodies === undefined,
    refs: row.refs,
    runState: row.runState as RunState,
    logBytes: row.logBytes,
    logTruncated: row.logTruncated,
    maybeRepeated: row.maybeRepeated,
    handedOn: row.handedOn,
    innerRetries: row.innerRetries,
  };
}

const errorOf = ({ errorCode, errorMessage }: { errorCode: string | null; errorMessage: string | null }) =>
  errorCode === null ? null : { code: errorCode, message: errorMessage ?? "" };
