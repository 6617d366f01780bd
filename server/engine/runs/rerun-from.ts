import { parseInput } from "@/server/domain/input";
import { rerunPlan } from "@/server/domain/run/rerun-plan";
import type { Ctx } from "@/server/engine/context";
import { monthOf } from "./create-run";
import { type Intervened, intervene, type NodeIntervention, nodeInterventionSchema } from "./intervention";

/** Runs a node, and all that has run after it, again; what had succeeded runs as a new execution that names the old one. */
export async function rerunFrom(ctx: Ctx, given: NodeIntervention): Promise<Intervened> {
  const input = parseInput(nodeInterventionSchema, given);
  const { key } = input;
  return intervene(ctx, {
    verb: "run.rerunFrom",
    input,
    restarts: true,
    revives: true,
    eventOf: ({ row, version, facts }, now) => {
      const planned = rerunPlan(version.plan, facts.nodes, key);
      const fresh = planned.kind === "plan" ? planned.newExecutions : [];
      return { kind: "rerunFrom", key, executionIds: new Map(fresh.map((each) => [each, ctx.ids.uuid(monthOf(row.id, now))])) };
    },
  });
}
