import { and, eq, isNull } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { pipelines } from "@/db/schema/pipelines";
import { runs } from "@/db/schema/runs";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { authorise } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";
import { announce } from "./commit-runs";
import { createRuns } from "./create-run";
import { projectOfRun, type RunIntervention, runInterventionSchema, runNotFound } from "./intervention";
import type { TriggeredRun } from "./trigger-requests";

/** A whole run once more, as a new run of the same version with the same params, which names the one it repeats. */
export async function rerunRun(ctx: Ctx, raw: RunIntervention): Promise<TriggeredRun> {
  const { runId, reason } = parseInput(runInterventionSchema, raw);
  authorise(ctx, await projectOfRun(ctx, ctx.db, runId), "run.intervene");
  const [before] = await ctx.db.select().from(runs).where(eq(runs.id, runId));
  if (!before) throw runNotFound(runId);
  const made = await inTransaction(ctx, async (tx) => {
    const pipeline = await loadStartable(tx, before.pipelineId);
    const id = ctx.ids.uuid();
    const [run] = await createRuns(ctx, tx, [
      {
        id,
        projectId: before.projectId,
        pipelineId: before.pipelineId,
        versionId: before.versionId,
        trigger: { kind: "rerun", actor: actorOf(ctx.principal) },
        params: before.params,
        rerunOf: before.id,
      },
    ]);
    if (!run) throw new Error("a draft that made no run");
    await writeAudit(tx, ctx, {
      projectId: before.projectId,
      verb: "run.rerun",
      object: { kind: "run", id, label: pipeline.name },
      reason,
      before: { runId: before.id, state: before.state },
      after: { runId: id, version: before.versionNo, params: before.params },
    });
    return run;
  });
  await announce(ctx, { groups: made.groups, projectIds: [made.projectId] });
  return { id: made.id, state: made.state, repeated: false };
}

/** Under a share lock, so that no run of a deleted pipeline starts after its commit (B76). */
async function loadStartable(tx: Tx, pipelineId: string): Promise<{ name: string }> {
  const [row] = await tx
    .select({ name: pipelines.name, enabled: pipelines.enabled, archivedAt: pipelines.archivedAt })
    .from(pipelines)
    .where(and(eq(pipelines.id, pipelineId), isNull(pipelines.deletedAt)))
    .for("share");
  if (!row) throw new DomainError("unprocessable", "the pipeline of this run was deleted; its history stays, and no run of it starts");
  if (row.archivedAt) throw new DomainError("unprocessable", `pipeline ${row.name} is archived; bring it back to run it`);
  if (!row.enabled) throw new DomainError("unprocessable", `pipeline ${row.name} is disabled; enable it to run it`);
  return row;
}
