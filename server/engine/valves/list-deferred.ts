import { and, asc, eq, isNull } from "drizzle-orm";
import type { z } from "zod";
import { type ValveBound, valves } from "@/db/schema/valves";
import { parseInput } from "@/server/domain/input";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { boundPlaceSchema } from "./failure-bound";
import { type HeldNode, listHeldNodes } from "./list-valves";
import { selectValves, type ValveView, valveView } from "./valve-row";

export interface Deferred {
  readonly valve: ValveView;
  readonly bound: ValveBound;
  /** The first of what waits. */
  readonly nodes: readonly HeldNode[];
}

/** Tasks whose new work waits in the review queue since too much of it failed, with what waits (EXC-10). */
export async function listDeferred(ctx: Ctx, given: z.input<typeof boundPlaceSchema>): Promise<readonly Deferred[]> {
  const { projectId } = parseInput(boundPlaceSchema, given);
  authorise(ctx, projectId, "project.read");
  const rows = await selectValves(ctx.db)
    .where(and(eq(valves.projectId, projectId), eq(valves.deferring, true), isNull(valves.endedAt)))
    .orderBy(asc(valves.no));
  const found: Deferred[] = [];
  for (const row of rows) {
    if (row.row.bound === null) continue;
    const nodes = row.held > 0 ? await listHeldNodes(ctx, { projectId, no: row.row.no }) : [];
    found.push({ valve: valveView(row), bound: row.row.bound, nodes });
  }
  return found;
}
