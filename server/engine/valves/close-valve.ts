import { and, eq, isNull } from "drizzle-orm";
import { z } from "zod";
import type { Tx } from "@/db/client";
import { pipelines } from "@/db/schema/pipelines";
import { valves } from "@/db/schema/valves";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { type ValveTarget, valveTargetSchema } from "@/server/domain/valve/valve";
import { authorise, authorisePlatform } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";
import { reasonSchema } from "@/server/engine/runs/intervention";
import { settleValve } from "./settle-valves";
import { loadValveView, type ValveRow, type ValveView } from "./valve-row";

export const closeValveSchema = z.strictObject({ projectId: z.uuid(), target: valveTargetSchema, reason: reasonSchema });
export type CloseValveInput = z.input<typeof closeValveSchema>;

type Place = Pick<ValveRow, "kind" | "projectId" | "pipelineId" | "target" | "label">;

/**
 * Stops one node, a task or a group everywhere at once (RUN-12). The valve's row is there first, and from its commit on nobody
 * who looks makes anything of the kind ready past it; then what was ready is held, in steps, and when this answers, nothing of
 * it starts until it is released. What runs goes on.
 */
export async function closeValve(ctx: Ctx, given: CloseValveInput): Promise<ValveView> {
  const { projectId, target, reason } = parseInput(closeValveSchema, given);
  authorise(ctx, projectId, "valve.manage");
  if (target.kind === "group") authorisePlatform(ctx);
  const row = await inTransaction(ctx, async (tx) => {
    const place = await placeOf(tx, projectId, target);
    const [made] = await tx
      .insert(valves)
      .values({ ...place, state: "closing", reason, closedBy: actorOf(ctx.principal) })
      .onConflictDoNothing()
      .returning();
    if (!made) throw await stoppedAlready(tx, place);
    await writeAudit(tx, ctx, {
      projectId: place.projectId,
      verb: "valve.close",
      object: { kind: "valve", id: String(made.no), label: place.label },
      reason,
      after: { kind: place.kind, target: place.target, pipelineId: place.pipelineId },
    });
    return made;
  });
  await settleValve(ctx, row);
  ctx.ports.live.changed(projectId);
  return loadValveView(ctx.db, row.no);
}

async function placeOf(tx: Tx, projectId: string, target: ValveTarget): Promise<Place> {
  switch (target.kind) {
    case "group":
      return { kind: "group", projectId: null, pipelineId: null, target: target.group, label: target.group };
    case "task":
      return { kind: "task", projectId, pipelineId: null, target: target.task, label: target.task };
    case "node": {
      const [pipeline] = await tx
        .select({ name: pipelines.name })
        .from(pipelines)
        .where(and(eq(pipelines.id, target.pipelineId), eq(pipelines.projectId, projectId)));
      if (!pipeline)
        throw new DomainError("not_found", "there is no such pipeline in this project", { details: { id: target.pipelineId } });
      const { pipelineId, node } = target;
      return { kind: "node", projectId, pipelineId, target: node, label: `${pipeline.name} / ${node}` };
    }
  }
}

/** Of two who stop the same, the unique index lets one; the other hears which valve it was. */
async function stoppedAlready(tx: Tx, { kind, projectId, pipelineId, target, label }: Place): Promise<DomainError> {
  const same = [
    eq(valves.kind, kind),
    eq(valves.target, target),
    pipelineId === null ? isNull(valves.pipelineId) : eq(valves.pipelineId, pipelineId),
    projectId === null ? isNull(valves.projectId) : eq(valves.projectId, projectId),
  ];
  const [open] = await tx
    .select({ no: valves.no })
    .from(valves)
    .where(and(isNull(valves.endedAt), ...same));
  const by = open ? `by valve #${open.no}` : "by a valve that has just ended: try again";
  return new DomainError("conflict", `${label} is stopped already, ${by}`, { details: { no: open?.no ?? null } });
}
