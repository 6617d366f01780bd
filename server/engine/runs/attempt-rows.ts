import type { attempts, errorEvents, executions } from "@/db/schema/runs";
import type { AttemptClose, ExecutionWrite } from "@/db/statements/state/apply-decisions";
import type { NodeRow } from "@/db/statements/state/lock-runs";
import type { NodeChange } from "@/server/domain/run/model";
import type { Ctx } from "@/server/engine/context";
import type { OpenRun, Told } from "./open-run";

/** The end of an attempt: what its worker told, or only that it ended, as for a sibling that is cancelled by the same step. */
export function attemptClose(open: OpenRun, change: NodeChange, { report }: Told, now: Date): AttemptClose {
  const { before, failure, outcome } = change;
  const told = report?.key === change.key ? report : undefined;
  return {
    runId: open.row.id,
    nodeKey: change.key,
    generation: before.generation,
    no: before.attemptNo,
    outcome,
    committedAt: now,
    errorCode: failure?.code ?? null,
    errorMessage: failure?.message ?? null,
    inputs: told?.inputs,
    output: told?.kind === "succeeded" ? told.output : undefined,
    response: told?.response ?? undefined,
    pickedUpAt: told?.times.pickedUpAt,
    executingAt: told?.times.executingAt,
    logBytes: told?.logBytes,
    logTruncated: told?.logTruncated,
  };
}

/** An attempt that begins in this very commit: a node that is handed on, or a wait. */
export function attemptOpen(
  ctx: Pick<Ctx, "ids">,
  open: OpenRun,
  row: NodeRow,
  { next, before }: NodeChange,
  { taker }: Told,
  now: Date,
): typeof attempts.$inferSelect {
  return {
    runId: open.row.id,
    nodeKey: next.key,
    generation: next.generation,
    no: next.attemptNo,
    executionId: next.executionId,
    token: next.token,
    outcome: null,
    workerId: taker?.id ?? null,
    workerBoot: taker?.bootId ?? null,
    worker: taker?.fingerprint === undefined ? null : { fingerprint: taker.fingerprint },
    refs: refsOf(open, row),
    runState: open.facts.state,
    inputs: null,
    output: null,
    response: null,
    errorCode: null,
    errorMessage: null,
    traceId: open.row.traceId,
    spanId: taker?.spanId ?? ctx.ids.randomHex(8),
    queuedAt: before.state === "QUEUED" ? now : null,
    dispatchedAt: now,
    pickedUpAt: null,
    executingAt: taker ? null : now,
    committedAt: null,
    logBytes: 0,
    logTruncated: false,
    maybeRepeated: next.maybeRepeated,
    handedOn: taker !== undefined,
  };
}

/** The executions whose output the node reads. */
function refsOf(open: OpenRun, row: NodeRow): Record<string, string> {
  const succeeded = row.inputsFrom.flatMap((key) => {
    const node = open.facts.nodes.get(key);
    return node?.state === "SUCCESS" ? [[key, node.executionId] as const] : [];
  });
  return Object.fromEntries(succeeded);
}

export function newExecution(open: OpenRun, { key, before, next }: NodeChange, now: Date): typeof executions.$inferSelect {
  return {
    executionId: next.executionId,
    runId: open.row.id,
    nodeKey: key,
    state: "REGISTERED",
    token: next.token,
    result: null,
    completedBy: null,
    replaces: before.executionId,
    registeredAt: now,
    executingAt: null,
    completedAt: null,
  };
}

/** Where the register goes with these steps: forward, or back to registered after an attempt that did not succeed. */
export function executionTurn(
  steps: readonly { readonly change: NodeChange }[],
  { runId, executionId }: NodeRow,
  output: unknown,
  now: Date,
): ExecutionWrite | null {
  const last = steps.findLast(({ change }) => change.outcome !== null || change.to === "RUNNING" || change.event === "successMarked");
  if (!last) return null;
  const { change } = last;
  const at = { runId, executionId, token: change.next.token };
  if (change.to === "RUNNING") return { ...at, state: "EXECUTING", executingAt: now };
  if (change.to !== "SUCCESS") return { ...at, state: "REGISTERED" };
  const completedBy = change.event === "successMarked" ? "person" : "worker";
  return { ...at, state: "COMPLETED", result: output ?? null, completedBy, completedAt: now };
}

/** EXC-2: one for each step that a failure caused, in the step's own commit. */
export function errorEvent(ctx: Pick<Ctx, "ids">, open: OpenRun, change: NodeChange, now: Date): typeof errorEvents.$inferInsert {
  const { before, failure } = change;
  if (!failure) throw new Error(`step ${change.event} of node "${change.key}" has no failure`);
  const row = open.nodes.get(change.key);
  return {
    runId: open.row.id,
    id: ctx.ids.uuid(now),
    projectId: open.row.projectId,
    pipelineId: open.row.pipelineId,
    nodeKey: change.key,
    generation: before.generation,
    attemptNo: before.attemptNo,
    executionId: before.executionId,
    code: failure.code,
    saidCode: failure.saidCode ?? null,
    message: failure.message,
    stack: failure.stack,
    stackHash: failure.stackHash,
    retryCount: Math.max(0, before.attempts - 1),
    context: { ...failure.context },
    traceId: open.row.traceId,
    workerId: row?.workerId ?? null,
    at: now,
  };
}
