import { createHash } from "node:crypto";
import { z } from "zod";
import type { Tx } from "@/db/client";
import { clockOf } from "@/db/statements/clock";
import { type EarlierRequest, earlierRequests, takeRequestKeys } from "@/db/statements/state/run-requests";
import { type StartablePipeline, startablePipelines } from "@/db/statements/state/startable-pipelines";
import { canonicalJson } from "@/server/domain/canonical-json";
import { DomainError } from "@/server/domain/failure";
import { textSchema } from "@/server/domain/pipeline/definition";
import type { RunState } from "@/server/domain/run/states";
import { writeAudits } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx } from "@/server/engine/context";
import type { Committed } from "./commit-runs";
import { acceptParams, createRuns, type RunDraft } from "./create-run";
import { loadVersions, versionIn } from "./versions";

export const triggerRunSchema = z.strictObject({
  projectId: z.uuid(),
  /** Id or name. */
  pipeline: textSchema(64).min(1),
  params: z.unknown().optional(),
  /** The same key with the same request gives the same run; with another request it is refused. */
  idempotencyKey: textSchema(200).min(1).optional(),
  kind: z.enum(["manual", "api"]),
});
export type TriggerRunInput = z.input<typeof triggerRunSchema>;
export type ParsedTrigger = z.output<typeof triggerRunSchema>;

/** One wish, parsed and allowed. All that go together are of one project. */
export interface TriggerRequest {
  readonly ctx: Ctx;
  readonly input: ParsedTrigger;
}

export interface TriggeredRun {
  readonly id: string;
  readonly state: RunState;
  /** The key was known: nothing was started. */
  readonly repeated: boolean;
}

export type TriggerOutcome =
  | { readonly kind: "triggered"; readonly run: TriggeredRun }
  /** Of this request alone; the others are started. */
  | { readonly kind: "refused"; readonly error: DomainError };

export interface Started {
  /** In the order of the requests. */
  readonly outcomes: readonly TriggerOutcome[];
  /** To be told after the commit. */
  readonly committed: Pick<Committed, "groups" | "projectIds">;
}

type Accepted = { readonly request: TriggerRequest; readonly pipeline: StartablePipeline; readonly id: string };

/** Starts what several requests of one project want, each judged by itself; no two of them carry the same key. */
export async function startRequested(tx: Tx, requests: readonly TriggerRequest[]): Promise<Started> {
  const outcomes = new Map<TriggerRequest, TriggerOutcome>();
  const unknown = await answerEarlier(tx, requests, outcomes);
  const { accepted, now } = await acceptAll(tx, unknown, outcomes);
  const taken = await takeKeys(tx, accepted);
  const beaten = accepted.filter(({ id }) => !taken.has(id)).map(({ request }) => request);
  const left = await answerEarlier(tx, beaten, outcomes);
  if (left.length > 0) throw new Error("an idempotency key was taken by nobody");
  const committed = await start(
    tx,
    accepted.filter(({ id }) => taken.has(id)),
    outcomes,
    now,
  );
  return { outcomes: requests.map((request) => outcomes.get(request) ?? missing(request)), committed };
}

const missing = ({ input }: TriggerRequest): never => {
  throw new Error(`the wish to start ${input.pipeline} has no outcome`);
};

/** Refuses this request and no other. */
function judge<T>(request: TriggerRequest, outcomes: Map<TriggerRequest, TriggerOutcome>, decide: () => T): T | null {
  try {
    return decide();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    outcomes.set(request, { kind: "refused", error });
    return null;
  }
}

/** Answers those whose key is known, whatever has become of their pipeline since; gives the others back. */
async function answerEarlier(
  tx: Tx,
  requests: readonly TriggerRequest[],
  outcomes: Map<TriggerRequest, TriggerOutcome>,
): Promise<TriggerRequest[]> {
  const [first] = requests;
  const keys = requests.flatMap(({ input }) => input.idempotencyKey ?? []);
  if (!first || keys.length === 0) return [...requests];
  const known = await earlierRequests(tx, first.input.projectId, keys);
  return requests.filter((request) => {
    const earlier = known.get(request.input.idempotencyKey ?? "");
    if (!earlier) return true;
    const run = judge(request, outcomes, () => sameRun(request.input, earlier));
    if (run) outcomes.set(request, { kind: "triggered", run: { ...run, repeated: true } });
    return false;
  });
}

/** The run that the same request has started before. Refused when the key was used for another request. */
function sameRun(input: ParsedTrigger, earlier: EarlierRequest): Pick<TriggeredRun, "id" | "state"> {
  const { key, hash, run } = earlier;
  if (run === null) {
    throw new DomainError("conflict", `idempotency key "${key}" belongs to a run that is no longer here; use another`, {
      details: { key },
    });
  }
  const samePipeline = input.pipeline === run.pipelineId || input.pipeline === run.pipelineName;
  if (!samePipeline || hash !== hashOf(run.pipelineId, input.params)) {
    throw new DomainError("conflict", `idempotency key "${key}" was used with another pipeline or other params; use another key`, {
      details: { key, runId: run.id },
    });
  }
  return { id: run.id, state: run.state as RunState };
}

const hashOf = (pipelineId: string, params: unknown): string =>
  createHash("sha256")
    .update(canonicalJson({ pipelineId, params: params ?? {} }))
    .digest("hex");

/** Judges pipelines and parameters. The pipelines are read under a share lock: a deletion that comes later waits. */
async function acceptAll(
  tx: Tx,
  requests: readonly TriggerRequest[],
  outcomes: Map<TriggerRequest, TriggerOutcome>,
): Promise<{ readonly accepted: readonly Accepted[]; readonly now?: Date }> {
  const [first] = requests;
  if (!first) return { accepted: [] };
  // Both go out together and are answered in this order, so that the time is one after the lock.
  const [found, now] = await Promise.all([
    startablePipelines(
      tx,
      first.input.projectId,
      requests.map(({ input }) => input.pipeline),
    ),
    clockOf(tx),
  ]);
  const startable = requests.flatMap((request) => {
    const { pipeline: wanted } = request.input;
    const pipeline = judge(request, outcomes, () => requireStartable(wanted, found.get(wanted)));
    return pipeline ? [{ request, pipeline }] : [];
  });
  const versions = await loadVersions(
    tx,
    startable.map(({ pipeline }) => pipeline.versionId),
  );
  const accepted = startable.flatMap(({ request, pipeline }) => {
    const version = versionIn(versions, pipeline.versionId);
    const params = judge(request, outcomes, () => acceptParams(version, request.input.params ?? {}));
    return params ? [{ request, pipeline, id: request.ctx.ids.uuid() }] : [];
  });
  return { accepted, now };
}

function requireStartable(wanted: string, row: (Omit<StartablePipeline, "versionId"> & { versionId: string | null }) | undefined) {
  const details = { pipeline: wanted };
  if (!row) throw new DomainError("not_found", `there is no pipeline "${wanted}" in this project`, { details });
  const { name, versionId } = row;
  if (row.archived) throw new DomainError("unprocessable", `pipeline ${name} is archived; restore it to run it`, { details });
  if (!row.enabled) throw new DomainError("unprocessable", `pipeline ${name} is disabled; enable it to run it`, { details });
  if (!versionId) throw new DomainError("unprocessable", `pipeline ${name} has no published version; publish its draft first`, { details });
  return { ...row, versionId };
}

/** The runs whose key is theirs; another transaction that has a key is waited for. Whoever inserts first wins. */
async function takeKeys(tx: Tx, accepted: readonly Accepted[]): Promise<ReadonlySet<string>> {
  const keyed = accepted.flatMap(({ request: { input }, pipeline, id }) => {
    const { projectId, idempotencyKey: key, params } = input;
    return key === undefined ? [] : [{ projectId, key, requestHash: hashOf(pipeline.id, params), runId: id }];
  });
  const won = await takeRequestKeys(tx, keyed);
  const lost = new Set(keyed.map(({ runId }) => runId).filter((id) => !won.has(id)));
  return new Set(accepted.map(({ id }) => id).filter((id) => !lost.has(id)));
}

async function start(
  tx: Tx,
  accepted: readonly Accepted[],
  outcomes: Map<TriggerRequest, TriggerOutcome>,
  now: Date | undefined,
): Promise<Pick<Committed, "groups" | "projectIds">> {
  const [first] = accepted;
  if (!first) return { groups: [], projectIds: [] };
  const runs = await createRuns(first.request.ctx, tx, accepted.map(draftOf), now);
  const deeds = accepted.map(({ request: { ctx, input }, pipeline, id }, index) => {
    const state = runs[index]?.state ?? "PENDING";
    outcomes.set(accepted[index]?.request ?? first.request, { kind: "triggered", run: { id, state, repeated: false } });
    const entry = {
      projectId: input.projectId,
      verb: "run.trigger",
      object: { kind: "run", id, label: pipeline.name },
      after: { pipelineId: pipeline.id, params: input.params ?? {}, state },
    };
    return { ctx, entry };
  });
  await writeAudits(tx, deeds);
  return { groups: [...new Set(runs.flatMap((run) => run.groups))], projectIds: [first.request.input.projectId] };
}

const draftOf = ({ request: { ctx, input }, pipeline, id }: Accepted): RunDraft => ({
  id,
  projectId: input.projectId,
  pipelineId: pipeline.id,
  versionId: pipeline.versionId,
  trigger: { kind: input.kind, actor: actorOf(ctx.principal) },
  params: input.params ?? {},
});
