import type { Tx } from "@/db/client";
import type { executions, runEvents } from "@/db/schema/runs";
import { clockOf } from "@/db/statements/clock";
import { insertRuns } from "@/db/statements/state/insert-runs";
import type { NodeRow, RunRow } from "@/db/statements/state/lock-runs";
import { hasEarlierRun, liveRunCount, lockTurns } from "@/db/statements/state/turns";
import { DomainError } from "@/server/domain/failure";
import { validateParams } from "@/server/domain/pipeline/params";
import { poolKey } from "@/server/domain/pool/limit-key";
import type { Actor, PlanNode } from "@/server/domain/run/model";
import type { RunState } from "@/server/domain/run/states";
import { INITIAL_NODE_STATES, INITIAL_RUN_STATES } from "@/server/domain/run/transitions";
import type { Ctx } from "@/server/engine/context";
import { committedOf, writePasses } from "./commit-runs";
import { feed, type OpenRun, openRun } from "./open-run";
import { ENGINE, resolveWaits } from "./resolve-waits";
import { loadVersions, type Version, versionIn } from "./versions";
import { writesOf } from "./writes";

/** A run that is wanted: by a person, a script, a schedule, or as a repeat of another. */
export interface RunDraft {
  readonly projectId: string;
  readonly pipelineId: string;
  readonly versionId: string;
  readonly trigger: {
    readonly kind: "manual" | "api" | "schedule" | "rerun";
    readonly actor: Actor;
    readonly scheduleId?: string;
    readonly scheduledAt?: Date;
  };
  readonly params: unknown;
  readonly priority?: number;
  /** Overlap `queue`: the run stays PENDING while an earlier run of its schedule is alive. */
  readonly afterEarlier?: boolean;
  readonly rerunOf?: string;
  /** Made by the caller where it needs it before the run exists, as a fire does. */
  readonly id?: string;
}

export interface CreatedRun {
  readonly id: string;
  readonly projectId: string;
  /** PENDING when it waits for its turn. */
  readonly state: RunState;
  /** Groups that have work now; ring them after the commit. */
  readonly groups: readonly string[];
}

/**
 * Makes runs with all that lies under them in the caller's transaction. A run that no limit holds is activated at once:
 * its roots are queued in the same statement that inserts them. `heard` is the database's time where the transaction knows it.
 */
export async function createRuns(ctx: Pick<Ctx, "ids">, tx: Tx, drafts: readonly RunDraft[], heard?: Date): Promise<CreatedRun[]> {
  if (drafts.length === 0) return [];
  const versions = await loadVersions(
    tx,
    drafts.map((draft) => draft.versionId),
  );
  const limited = drafts.filter((draft) => isLimited(draft, versionIn(versions, draft.versionId)));
  await lockTurns(
    tx,
    limited.map((draft) => draft.pipelineId),
  );
  // A turn may have been waited for.
  const now = limited.length === 0 && heard ? heard : await clockOf(tx);
  const turns = new Turns(tx);
  const opens: OpenRun[] = [];
  for (const draft of drafts) {
    const version = versionIn(versions, draft.versionId);
    const open = newRun(ctx, draft, version, now);
    if (!(await turns.mustWait(open, draft))) feed(open, { kind: "activated" }, now, { actor: ENGINE });
    await resolveWaits(tx, open, now);
    opens.push(open);
  }
  await insertOpens(ctx, tx, opens, now);
  return opens.map((open) => ({
    id: open.row.id,
    projectId: open.row.projectId,
    state: open.facts.state,
    groups: committedOf([open]).groups,
  }));
}

const isLimited = (draft: RunDraft, version: Version) => draft.afterEarlier === true || version.definition.spec.concurrency !== undefined;

/** Counts turns, the runs of this very transaction included. */
class Turns {
  readonly #live = new Map<string, number>();
  readonly #schedules = new Set<string>();

  constructor(private readonly tx: Tx) {}

  async mustWait({ row, version }: OpenRun, draft: RunDraft): Promise<boolean> {
    const limit = version.definition.spec.concurrency ?? Number.POSITIVE_INFINITY;
    let wait = false;
    if (Number.isFinite(limit)) {
      const live = this.#live.get(row.pipelineId) ?? (await liveRunCount(this.tx, row.pipelineId));
      this.#live.set(row.pipelineId, live + 1);
      wait = live >= limit;
    }
    const { scheduleId } = draft.trigger;
    if (scheduleId === undefined) return wait;
    const behind = draft.afterEarlier === true && (this.#schedules.has(scheduleId) || (await hasEarlierRun(this.tx, scheduleId, row.id)));
    this.#schedules.add(scheduleId);
    return wait || behind;
  }
}

function newRun(ctx: Pick<Ctx, "ids">, draft: RunDraft, version: Version, now: Date): OpenRun {
  if (version.pipelineId !== draft.pipelineId || version.projectId !== draft.projectId) {
    throw new DomainError("not_found", `version ${draft.versionId} is none of pipeline ${draft.pipelineId} in this project`);
  }
  const row = runRow(ctx, draft, version, acceptParams(version, draft.params), now);
  const nodes = version.plan.nodes.map((node, ord) => nodeRow(ctx, row, node, ord, now));
  return openRun(row, nodes, version);
}

/** The parameters as the run keeps them, with defaults; `invalid_input` when they do not fit the pipeline. */
export function acceptParams(version: Version, given: unknown): Record<string, unknown> {
  const { metadata, spec } = version.definition;
  const params = validateParams(spec.params, given);
  if (params.ok) return { ...params.values };
  const issues = params.issues.map((issue) => ({ ...issue, path: issue.path === "" ? "params" : `params.${issue.path}` }));
  throw new DomainError("invalid_input", `the parameters do not fit pipeline ${metadata.name}`, { issues });
}

function runRow(ctx: Pick<Ctx, "ids">, draft: RunDraft, version: Version, params: Record<string, unknown>, now: Date): RunRow {
  const keys = version.definition.spec.businessKeys.flatMap((name) => {
    const value = params[name];
    return value === null || value === undefined ? [] : [[name, typeof value === "string" ? value : JSON.stringify(value)] as const];
  });
  return {
    id: draft.id ?? ctx.ids.uuid(),
    projectId: draft.projectId,
    pipelineId: draft.pipelineId,
    versionId: version.id,
    versionNo: version.no,
    state: "PENDING",
    seq: 0,
    triggerKind: draft.trigger.kind,
    actor: { ...draft.trigger.actor },
    scheduleId: draft.trigger.scheduleId ?? null,
    scheduledAt: draft.trigger.scheduledAt ?? null,
    params,
    businessKeys: Object.fromEntries(keys),
    priority: draft.priority ?? 0,
    pausedByPerson: false,
    cancelRequestedAt: null,
    afterEarlier: draft.afterEarlier ?? false,
    rerunOf: draft.rerunOf ?? null,
    traceId: ctx.ids.randomHex(16),
    createdAt: now,
    startedAt: null,
    endedAt: null,
  };
}

function nodeRow(ctx: Pick<Ctx, "ids">, run: RunRow, node: PlanNode, ord: number, now: Date): NodeRow {
  return {
    runId: run.id,
    key: node.key,
    ord,
    type: node.type,
    workerGroup: node.group,
    state: "PENDING",
    generation: 1,
    executionId: ctx.ids.uuid(monthOf(run.id, now)),
    token: 0,
    attemptNo: 0,
    attempts: 0,
    skipCause: null,
    timeoutMs: node.timeoutMs,
    deadlineMs: node.deadlineMs,
    inputsFrom: [...node.inputsFrom],
    poolKey: node.pool === null ? "" : poolKey(run.projectId, node.pool),
    held: false,
    priority: node.priority + run.priority,
    rank: null,
    readyAt: null,
    queuedAt: null,
    dueAt: null,
    timeoutAt: null,
    deadlineAt: null,
    startedAt: null,
    endedAt: null,
    workerId: null,
    workerBoot: null,
    errorCode: null,
    errorMessage: null,
    maybeRepeated: false,
  };
}

/** The millisecond that a run's id carries: its executions carry the same, and so lie in the same month. */
export function monthOf(runId: string, fallback: Date): Date {
  const ms = Number.parseInt(runId.replaceAll("-", "").slice(0, 12), 16);
  return Number.isFinite(ms) ? new Date(ms) : fallback;
}

const CREATED = "run.created";

/** What may be born as it is decided goes in with the first statement; the rest, which is rare, follows as an update. */
async function insertOpens(ctx: Pick<Ctx, "ids">, tx: Tx, opens: readonly OpenRun[], now: Date): Promise<void> {
  const [first, ...later] = writesOf(ctx, opens, now);
  if (!first) return;
  const bornRuns = new Map(first.runs.filter((row) => isBirth(INITIAL_RUN_STATES, row.state)).map((row) => [row.id, row]));
  const bornNodes = new Map(first.nodes.filter(({ row }) => isBirth(INITIAL_NODE_STATES, row.state)).map(({ row }) => [nodeId(row), row]));
  await insertRuns(tx, {
    runs: opens.map((open) => bornRuns.get(open.row.id) ?? open.row),
    nodes: opens.flatMap((open) => [...open.nodes.values()].map((row) => bornNodes.get(nodeId(row)) ?? row)),
    executions: opens.flatMap((open) => [...open.nodes.values()].map((row) => registered(row, now))),
    events: [...opens.map((open) => createdEvent(open, now)), ...first.events],
  });
  const rest = {
    ...first,
    runs: first.runs.filter((row) => !bornRuns.has(row.id)),
    nodes: first.nodes.filter(({ row }) => !bornNodes.has(nodeId(row))),
    events: [],
  };
  await writePasses(tx, [rest, ...later]);
}

const isBirth = (states: readonly string[], state: string) => states.includes(state);
const nodeId = (row: NodeRow) => `${row.runId}/${row.key}`;

const registered = (row: NodeRow, now: Date): typeof executions.$inferSelect => ({
  executionId: row.executionId,
  runId: row.runId,
  nodeKey: row.key,
  state: "REGISTERED",
  token: 0,
  result: null,
  completedBy: null,
  replaces: null,
  registeredAt: now,
  executingAt: null,
  completedAt: null,
});

function createdEvent({ row }: OpenRun, at: Date): typeof runEvents.$inferInsert {
  const cause = row.triggerKind === "schedule" ? "a schedule fired" : `triggered (${row.triggerKind})`;
  return { runId: row.id, at, event: CREATED, from: null, to: "PENDING", actor: row.actor, cause, data: { versionNo: row.versionNo } };
}
