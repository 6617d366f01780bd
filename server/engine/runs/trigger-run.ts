import { createHash } from "node:crypto";
import { and, eq, isNull } from "drizzle-orm";
import { z } from "zod";
import type { Tx } from "@/db/client";
import { pipelines } from "@/db/schema/pipelines";
import { runRequests, runs } from "@/db/schema/runs";
import { canonicalJson } from "@/server/domain/canonical-json";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { textSchema } from "@/server/domain/pipeline/definition";
import type { RunState } from "@/server/domain/run/states";
import { authorise } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";
import { announce } from "./commit-runs";
import { createRuns } from "./create-run";

const triggerRunSchema = z.strictObject({
  projectId: z.uuid(),
  /** Id or name. */
  pipeline: textSchema(64).min(1),
  params: z.unknown().optional(),
  /** The same key with the same request gives the same run; with another request it is refused. */
  idempotencyKey: textSchema(200).min(1).optional(),
  kind: z.enum(["manual", "api"]),
});
export type TriggerRunInput = z.input<typeof triggerRunSchema>;
type ParsedTrigger = z.output<typeof triggerRunSchema>;

export interface TriggeredRun {
  readonly id: string;
  readonly state: RunState;
  /** The key was known: nothing was started. */
  readonly repeated: boolean;
}

/** Starts a run of the live version of a pipeline. */
export async function triggerRun(ctx: Ctx, given: TriggerRunInput): Promise<TriggeredRun> {
  const input = parseInput(triggerRunSchema, given);
  authorise(ctx, input.projectId, "run.trigger");
  const outcome = await inTransaction(ctx, async (tx) => {
    const earlier = await findEarlier(tx, input);
    if (earlier) return { known: earlier };
    const pipeline = await loadStartable(tx, input.projectId, input.pipeline);
    const id = ctx.ids.uuid();
    if (!(await takeKey(tx, input, pipeline.id, id))) return { known: await findEarlier(tx, input) };
    const [run] = await createRuns(ctx, tx, [
      {
        id,
        projectId: input.projectId,
        pipelineId: pipeline.id,
        versionId: pipeline.versionId,
        trigger: { kind: input.kind, actor: actorOf(ctx.principal) },
        params: input.params ?? {},
      },
    ]);
    if (!run) throw new Error("a draft that made no run");
    await writeAudit(tx, ctx, {
      projectId: input.projectId,
      verb: "run.trigger",
      object: { kind: "run", id, label: pipeline.name },
      after: { pipelineId: pipeline.id, params: input.params ?? {}, state: run.state },
    });
    return { run };
  });
  if (outcome.known) return { ...outcome.known, repeated: true };
  const { run } = outcome;
  if (!run) throw new Error("an idempotency key was taken by nobody");
  await announce(ctx, { groups: run.groups, projectIds: [run.projectId] });
  return { id: run.id, state: run.state, repeated: false };
}

/** Reads the pipeline under a share lock: a deletion that commits first is seen, one that comes later waits. */
async function loadStartable(tx: Tx, projectId: string, idOrName: string): Promise<{ id: string; name: string; versionId: string }> {
  const wanted = z.uuid().safeParse(idOrName).success ? eq(pipelines.id, idOrName) : eq(pipelines.name, idOrName);
  const [row] = await tx
    .select({
      id: pipelines.id,
      name: pipelines.name,
      versionId: pipelines.liveVersionId,
      enabled: pipelines.enabled,
      archivedAt: pipelines.archivedAt,
    })
    .from(pipelines)
    .where(and(eq(pipelines.projectId, projectId), wanted, isNull(pipelines.deletedAt)))
    .for("share");
  const details = { pipeline: idOrName };
  if (!row) throw new DomainError("not_found", `there is no pipeline "${idOrName}" in this project`, { details });
  const { id, name, versionId } = row;
  if (row.archivedAt) throw new DomainError("unprocessable", `pipeline ${name} is archived; restore it to run it`, { details });
  if (!row.enabled) throw new DomainError("unprocessable", `pipeline ${name} is disabled; enable it to run it`, { details });
  if (!versionId) throw new DomainError("unprocessable", `pipeline ${name} has no published version; publish its draft first`, { details });
  return { id, name, versionId };
}

const hashOf = (pipelineId: string, params: unknown): string =>
  createHash("sha256")
    .update(canonicalJson({ pipelineId, params: params ?? {} }))
    .digest("hex");

/** Takes the key for `runId`; false where another request has it, which this one then waited for. Whoever inserts first wins. */
async function takeKey(tx: Tx, input: ParsedTrigger, pipelineId: string, runId: string): Promise<boolean> {
  const { idempotencyKey: key, projectId, params } = input;
  if (key === undefined) return true;
  const row = { projectId, key, requestHash: hashOf(pipelineId, params), runId };
  return (await tx.insert(runRequests).values(row).onConflictDoNothing().returning()).length > 0;
}

/**
 * The run that the same request has started before, whatever has become of its pipeline since: a repeat gets the same answer.
 * Refused when the key was used for another request.
 */
async function findEarlier(tx: Tx, input: ParsedTrigger): Promise<{ id: string; state: RunState } | null> {
  const { idempotencyKey: key, projectId } = input;
  if (key === undefined) return null;
  const [request] = await tx
    .select({ hash: runRequests.requestHash, id: runs.id, state: runs.state, pipelineId: runs.pipelineId, name: pipelines.name })
    .from(runRequests)
    .leftJoin(runs, eq(runs.id, runRequests.runId))
    .leftJoin(pipelines, eq(pipelines.id, runs.pipelineId))
    .where(and(eq(runRequests.projectId, projectId), eq(runRequests.key, key)));
  if (!request) return null;
  const { id, state, pipelineId, name, hash } = request;
  if (id === null || pipelineId === null) {
    throw new DomainError("conflict", `idempotency key "${key}" belongs to a run that is no longer here; use another`, {
      details: { key },
    });
  }
  const samePipeline = input.pipeline === pipelineId || input.pipeline === name;
  if (!samePipeline || hash !== hashOf(pipelineId, input.params)) {
    throw new DomainError("conflict", `idempotency key "${key}" was used with another pipeline or other params; use another key`, {
      details: { key, runId: id },
    });
  }
  return { id, state: state as RunState };
}
