import { and, asc, desc, eq, isNotNull, isNull, lt } from "drizzle-orm";
import { z } from "zod";
import { nodeRuns, runs } from "@/db/schema/runs";
import { valveHolds, valves } from "@/db/schema/valves";
import { parseInput } from "@/server/domain/input";
import { type Page, pageLimitSchema, pageOf } from "@/server/domain/paging";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { ofProject, selectValves, type ValveView, valveView } from "./valve-row";

export const valveFilterSchema = z.strictObject({
  projectId: z.uuid(),
  show: z.enum(["open", "ended"]).default("open"),
  cursor: z.coerce.number().int().min(1).optional(),
  limit: pageLimitSchema,
});

/** The stop valves of a project and of the groups, the newest first. Few are ever open. */
export async function listValves(ctx: Ctx, given: z.input<typeof valveFilterSchema>): Promise<Page<ValveView>> {
  const { projectId, show, cursor, limit } = parseInput(valveFilterSchema, given);
  authorise(ctx, projectId, "project.read");
  const rows = await selectValves(ctx.db)
    .where(
      and(
        ofProject(projectId),
        show === "open" ? isNull(valves.endedAt) : isNotNull(valves.endedAt),
        cursor === undefined ? undefined : lt(valves.no, cursor),
      ),
    )
    .orderBy(desc(valves.no))
    .limit(limit + 1);
  return pageOf(rows, limit, ({ row }) => String(row.no), valveView);
}

/** How many are open; what the home screen tells. */
export async function countOpenValves(ctx: Ctx, projectId: string): Promise<number> {
  authorise(ctx, projectId, "project.read");
  return ctx.db.$count(valves, and(ofProject(projectId), isNull(valves.endedAt)));
}

export interface HeldNode {
  readonly runId: string;
  readonly key: string;
  readonly since: Date;
}

const MOST_SHOWN = 50;

export const heldNodesSchema = z.strictObject({ projectId: z.uuid(), no: z.int().min(1) });

/** What a valve holds of a project, in the order in which it will go; the first of them. Index: valve_holds_order. */
export async function listHeldNodes(ctx: Ctx, given: z.input<typeof heldNodesSchema>): Promise<readonly HeldNode[]> {
  const { projectId, no } = parseInput(heldNodesSchema, given);
  authorise(ctx, projectId, "project.read");
  return ctx.db
    .select({ runId: valveHolds.runId, key: valveHolds.nodeKey, since: valveHolds.heldAt })
    .from(valveHolds)
    .innerJoin(runs, and(eq(runs.id, valveHolds.runId), eq(runs.projectId, projectId)))
    .innerJoin(nodeRuns, and(eq(nodeRuns.runId, valveHolds.runId), eq(nodeRuns.key, valveHolds.nodeKey)))
    .where(eq(valveHolds.valveNo, no))
    .orderBy(asc(valveHolds.rank))
    .limit(MOST_SHOWN);
}
