import { CLAIM_STEP, type ClaimRow, claimReady as claimRows } from "@/db/statements/state/claim-ready";
import { standIns } from "@/server/domain/run/plan";
import type { ClaimedNode, WorkerLease } from "@/server/domain/run/work";
import type { Ctx } from "@/server/engine/context";
import { inputsOf, type NodeInputs } from "./node-inputs";
import type { RunMemory } from "./run-memory";
import { loadVersions, type Version, versionIn } from "./versions";

export interface ClaimInput {
  readonly worker: WorkerLease;
  readonly groups: readonly string[];
  /** Free slots; at most this many nodes are taken. */
  readonly limit: number;
  /** Where small runs are kept, so that their settle need not read them. */
  readonly memory?: RunMemory | undefined;
}

/** Empty when nothing is ready, and also when the worker's lease row says that it is not this worker any more. */
export async function claimReady(ctx: Ctx, { worker, groups, limit, memory }: ClaimInput): Promise<ClaimedNode[]> {
  if (limit <= 0 || groups.length === 0) return [];
  const rows = await takeRows(ctx, { worker, groups: [...new Set(groups)], limit });
  if (rows.length === 0) return [];
  const versions = await loadVersions(
    ctx.db,
    rows.map((row) => row.version_id),
  );
  for (const projectId of new Set(rows.map((row) => row.project_id))) ctx.ports.live.changed(projectId);
  const planned = rows.map((row) => ({ row, version: versionIn(versions, row.version_id) }));
  const inputs = await inputsOf(
    ctx.db,
    planned.map(({ row, version }) => new Map(readsOf(row, version).map((key) => [key, refOf(row, version, key)]))),
  );
  const claimed = planned.map(({ row, version }, index) => toClaimed(row, version, inputs[index] ?? { outputs: {} }));
  for (const { row, version } of planned) {
    if (memory && row.before && memory.find(row.run_id) === null) memory.keep(row.before, version);
  }
  memory?.claimed(claimed, worker);
  return claimed;
}

/** Step by step, until there are enough of them or a step finds fewer than it asked for. */
async function takeRows(ctx: Ctx, { limit, ...claim }: Omit<ClaimInput, "memory">): Promise<ClaimRow[]> {
  const rows: ClaimRow[] = [];
  while (rows.length < limit) {
    const step = Math.min(CLAIM_STEP, limit - rows.length);
    const spanIds = Array.from({ length: step }, () => ctx.ids.randomHex(8));
    const found = await claimRows(ctx.db, { ...claim, limit: step, spanIds });
    rows.push(...found);
    if (found.length < step) break;
  }
  return rows;
}

/** One whose execution is completed settles with that result and reads nothing. */
const readsOf = (row: ClaimRow, version: Version): readonly string[] =>
  row.completed ? [] : (version.plan.byKey.get(row.key)?.reads ?? []);

/** Where a node gave nothing, what stands in for it may have: that one alone has run in its place. */
const refOf = (row: ClaimRow, version: Version, key: string): string | null =>
  [key, ...standIns(version.plan, key)].flatMap((each) => row.refs[each] ?? [])[0] ?? null;

function toClaimed(row: ClaimRow, version: Version, inputs: NodeInputs): ClaimedNode {
  const dispatchedAt = new Date(row.at);
  return {
    runId: row.run_id,
    projectId: row.project_id,
    pipelineId: row.pipeline_id,
    pipelineName: version.definition.metadata.name,
    versionId: row.version_id,
    key: row.key,
    generation: row.generation,
    attemptNo: row.attempt_no,
    executionId: row.execution_id,
    token: row.token,
    group: row.worker_group,
    node: version.node(row.key),
    domain: version.plan.domain,
    params: row.params,
    ...inputs,
    run: {
      id: row.run_id,
      scheduledAt: row.scheduled_at === null ? null : new Date(row.scheduled_at).toISOString(),
      trigger: row.trigger_kind,
    },
    businessKeys: row.business_keys,
    traceId: row.trace_id,
    spanId: row.span_id,
    timeoutAt: new Date(row.timeout_at),
    queuedAt: row.queued_at === null ? null : new Date(row.queued_at),
    dispatchedAt,
    maybeRepeated: row.maybe_repeated,
    hops: 0,
    stayedSince: dispatchedAt,
    storedResult: row.completed ? { output: row.result } : null,
  };
}
