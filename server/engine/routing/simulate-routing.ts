import { z } from "zod";
import { readPastFailures } from "@/db/statements/past-failures";
import { parseInput } from "@/server/domain/input";
import { rulesSchema } from "@/server/domain/routing/rule";
import type { PastFailures } from "@/server/domain/routing/simulate";
import { type Simulation, simulateRules } from "@/server/domain/routing/simulate";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { loadVersions, versionIn } from "@/server/engine/runs/versions";
import { storedNow } from "@/server/engine/stored-clock";
import { loadRoutingTable } from "./load-routing-table";

export const SIMULATED_DAYS = 30;
/** The newest so many are looked at; how many they were is told. */
export const MAX_SIMULATED = 50_000;

export const simulateRoutingSchema = z.strictObject({
  projectId: z.uuid(),
  /** Left out: the rules that are live. */
  rules: rulesSchema.optional(),
});
export type SimulateRoutingInput = z.input<typeof simulateRoutingSchema>;

export interface RoutingSimulation extends Simulation {
  readonly since: Date;
  /** More had failed since then than were looked at. */
  readonly isPartial: boolean;
}

/** What a draft of rules would have done with the failures of the last 30 days (EXC-5). Nothing is written. */
export async function simulateRouting(ctx: Ctx, given: SimulateRoutingInput): Promise<RoutingSimulation> {
  const { projectId, rules } = parseInput(simulateRoutingSchema, given);
  authorise(ctx, projectId, "project.read");
  const live = await loadRoutingTable(ctx, { projectId });
  const since = new Date((await storedNow(ctx, ctx.db)).getTime() - SIMULATED_DAYS * 86_400_000);
  const rows = await readPastFailures(ctx.db, projectId, since, MAX_SIMULATED);
  const versions = await loadVersions(
    ctx.db,
    rows.map(({ versionId }) => versionId),
  );
  const past = rows.map(({ code, versionId, count }): PastFailures => {
    const { metadata, spec } = versionIn(versions, versionId).definition;
    return { code, count, pipeline: metadata.name, labels: metadata.labels, taskClass: spec.taskClass };
  });
  const simulated = simulateRules(live.rules, rules ?? live.rules, past);
  return { ...simulated, since, isPartial: simulated.total >= MAX_SIMULATED };
}
