import { and, asc, eq } from "drizzle-orm";
import type { AttemptReport, ClaimedNode, WorkerLease } from "../../server/domain/run/work";
import { actorOf, type Ctx, inTransaction } from "../../server/engine/context";
import { claimReady } from "../../server/engine/runs/claim";
import { createRuns, type RunDraft } from "../../server/engine/runs/create-run";
import { settle } from "../../server/engine/runs/settle";
import type { SettleResult } from "../../server/engine/runs/settle-input";
import { pipelines, pipelineVersions } from "../schema/pipelines";
import { leases, workers } from "../schema/platform";
import { attempts, executions, nodeRuns, runEvents, runs } from "../schema/runs";
import { definitionOf, failureOf, type NodeInput, type SpecInput } from "./plans";

export interface MadePipeline {
  readonly projectId: string;
  readonly pipelineId: string;
  readonly versionId: string;
  readonly name: string;
}

/** A pipeline with one published version. */
export async function makePipeline(
  ctx: Ctx,
  project: { readonly id: string },
  nodes: readonly NodeInput[],
  spec: Partial<SpecInput> = {},
): Promise<MadePipeline> {
  const [pipelineId, versionId] = [ctx.ids.uuid(), ctx.ids.uuid()];
  const name = `p-${ctx.ids.randomHex(6)}`;
  const row = { id: pipelineId, projectId: project.id, name, title: name, owner: "tests", createdBy: "tests", updatedBy: "tests" };
  await ctx.db.insert(pipelines).values({ ...row, liveVersionId: versionId, liveVersionNo: 1 });
  await ctx.db
    .insert(pipelineVersions)
    .values({ id: versionId, pipelineId, no: 1, definition: definitionOf(nodes, spec, name), hash: versionId, createdBy: "tests" });
  return { projectId: project.id, pipelineId, versionId, name };
}

export const draftOf = (ctx: Ctx, pipeline: MadePipeline, more: Partial<RunDraft> = {}): RunDraft => ({
  projectId: pipeline.projectId,
  pipelineId: pipeline.pipelineId,
  versionId: pipeline.versionId,
  trigger: { kind: "manual", actor: actorOf(ctx.principal) },
  params: {},
  ...more,
});

/** A run of it, as a trigger makes one; answers with its id. */
export async function startRun(ctx: Ctx, pipeline: MadePipeline, more: Partial<RunDraft> = {}): Promise<string> {
  const [run] = await inTransaction(ctx, (tx) => createRuns(ctx, tx, [draftOf(ctx, pipeline, more)]));
  if (!run) throw new Error("no run was made");
  return run.id;
}

/** A worker with a lease that outlasts the test. */
export async function makeWorker(
  ctx: Ctx,
  groups: readonly string[] = ["default"],
  name = `w-${ctx.ids.randomHex(4)}`,
): Promise<WorkerLease> {
  const lease = { id: name, bootId: ctx.ids.uuid(), epoch: 1 };
  const row = { ...lease, groups: [...groups], slots: 8, hostname: "test", pid: 1, fingerprint: { cpu: "test" } };
  await ctx.db.insert(workers).values({ ...row, expiresAt: new Date(Date.now() + 3_600_000) });
  return lease;
}

/** A leader's term for sweepers. */
export async function makeFence(ctx: Ctx, name = "scheduler", epoch = 1): Promise<{ name: string; epoch: number }> {
  const row = { name, holder: "test", bootId: ctx.ids.uuid(), epoch, expiresAt: new Date(Date.now() + 3_600_000) };
  await ctx.db.insert(leases).values(row).onConflictDoUpdate({ target: leases.name, set: row });
  return { name, epoch };
}

type ReportEnd =
  | { readonly kind: "succeeded"; readonly output?: unknown }
  | { readonly kind: "failed"; readonly code?: string; readonly retryable?: boolean; readonly message?: string }
  | { readonly kind: "timedOut" }
  | { readonly kind: "handedBack" };

/** What the worker that claimed a node would report of it. */
export function reportOf(claimed: ClaimedNode, end: ReportEnd = { kind: "succeeded" }): AttemptReport {
  const base = {
    runId: claimed.runId,
    key: claimed.key,
    generation: claimed.generation,
    attemptNo: claimed.attemptNo,
    executionId: claimed.executionId,
    token: claimed.token,
    group: claimed.group,
    times: { pickedUpAt: new Date(), executingAt: new Date() },
    inputs: { of: claimed.key },
    response: { status: 200 },
    logBytes: 12,
    logTruncated: false,
    hops: claimed.hops,
    stayedSince: claimed.stayedSince,
  };
  switch (end.kind) {
    case "succeeded":
      return { ...base, kind: "succeeded", output: end.output ?? null };
    case "failed":
      return { ...base, kind: "failed", failure: failureOf(end.code, end.retryable, end.message) };
    case "timedOut":
      return { ...base, kind: "timedOut", failure: failureOf("TEST_STEP_TIMEOUT_504") };
    case "handedBack":
      return { ...base, kind: "handedBack" };
  }
}

/** Claims and settles until nothing is ready; `end` says how each node ends. Answers with the keys in the order of their ends. */
export async function drive(
  ctx: Ctx,
  worker: WorkerLease,
  options: { groups?: readonly string[]; end?: (claimed: ClaimedNode) => ReportEnd; limit?: number; handOn?: number } = {},
): Promise<string[]> {
  const { groups = ["default"], end = () => ({ kind: "succeeded" as const }), limit = 10, handOn = 0 } = options;
  const free = Object.fromEntries(groups.map((group) => [group, handOn]));
  const ended: string[] = [];
  let working = await claimReady(ctx, { worker, groups, limit });
  while (working.length > 0) {
    const reports = working.map((claimed) => reportOf(claimed, end(claimed)));
    const result: SettleResult = await settle(ctx, { worker, reports, free });
    ended.push(...reports.map((report) => report.key));
    working = result.handedOn.length > 0 ? [...result.handedOn] : await claimReady(ctx, { worker, groups, limit });
  }
  return ended;
}

export const nodesByKey = async (ctx: Ctx, runId: string) => {
  const rows = await ctx.db.select().from(nodeRuns).where(eq(nodeRuns.runId, runId)).orderBy(asc(nodeRuns.ord));
  return new Map(rows.map((row) => [row.key, row]));
};

/** States by key, in the order of the plan. */
export const statesOf = async (ctx: Ctx, runId: string): Promise<Record<string, string>> =>
  Object.fromEntries([...(await nodesByKey(ctx, runId))].map(([key, row]) => [key, row.state]));

export async function runOf(ctx: Ctx, runId: string) {
  const [row] = await ctx.db.select().from(runs).where(eq(runs.id, runId));
  if (!row) throw new Error(`there is no run ${runId}`);
  return row;
}

export const eventsOf = (ctx: Ctx, runId: string) =>
  ctx.db.select().from(runEvents).where(eq(runEvents.runId, runId)).orderBy(asc(runEvents.id));

export const attemptsOf = (ctx: Ctx, runId: string, key: string) =>
  ctx.db
    .select()
    .from(attempts)
    .where(and(eq(attempts.runId, runId), eq(attempts.nodeKey, key)))
    .orderBy(asc(attempts.generation), asc(attempts.no));

export async function executionOf(ctx: Ctx, executionId: string) {
  const [row] = await ctx.db.select().from(executions).where(eq(executions.executionId, executionId));
  if (!row) throw new Error(`execution ${executionId} is not registered`);
  return row;
}
