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
import { type CreatedRun, createRuns } from "./create-run";

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
    const pipeline = await loadStartable(tx, input.projectId, input.pipeline);
    const id = ctx.ids.uuid();
    const known = await earlierRun(tx, input, pipeline.id, id);
    if (known) return { known };
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
  const { run }: { run: CreatedRun } = outcome;
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

/** Takes the key for `runId`, or finds the run that has it; whoever inserts the key first wins, and the other waits for the commit. */
async function earlierRun(
  tx: Tx,
  input: z.output<typeof triggerRunSchema>,
  pipelineId: string,
  runId: string,
): Promise<{ id: string; state: RunState } | null> {
  const { idempotencyKey: key, projectId } = input;
  if (key === undefined) return null;
  const requestHash = createHash("sha256")
    .update(canonicalJson({ pipelineId, params: input.params ?? {} }))
    .digest("hex");
  const taken = await tx.insert(runRequests).values({ projectId, key, requestHash, runId }).onConflictDoNothing().returning();
  if (taken.length > 0) return null;
  const [request] = await tx
    .select({ requestHash: runRequests.requestHash, id: runs.id, state: runs.state })
    .from(runRequests)
    .innerJoin(runs, eq(runs.id, runRequests.runId))
    .where(and(eq(runRequests.projectId, projectId), eq(runRequests.key, key)));
  if (!request)
    throw new DomainError("conflict", `idempotency key "${key}" belongs to a run that is no longer here; use another`, {
      details: { key },
    });
  if (request.requestHash !== requestHash) {
    throw new DomainError("conflict", `idempotency key "${key}" was used with another pipeline or other params; use another key`, {
      details: { key, runId: request.id },
    });
  }
  return { id: request.id, state: request.state as RunState };
}
