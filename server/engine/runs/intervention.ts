import { z } from "zod";
import { nodeKeySchema } from "@/server/domain/pipeline/definition";
import type { RunState } from "@/server/domain/run/states";

/** Why it is done stands in the audit row. */
export const reasonSchema = z.string().trim().min(1, { error: "say why; the reason stands in the audit" }).max(500);

export const runInterventionSchema = z.strictObject({
  runId: z.uuid(),
  reason: reasonSchema,
  /** The run as the person saw it; refused as stale when it has moved since. */
  expectedSeq: z.int().min(0).optional(),
});
export type RunIntervention = z.input<typeof runInterventionSchema>;

export const nodeInterventionSchema = runInterventionSchema.extend({ key: nodeKeySchema });
export type NodeIntervention = z.input<typeof nodeInterventionSchema>;

export const markSuccessSchema = nodeInterventionSchema.extend({ output: z.json().optional() });
export type MarkSuccessInput = z.input<typeof markSuccessSchema>;

/** The run after the intervention. */
export interface Intervened {
  readonly runId: string;
  readonly state: RunState;
  readonly seq: number;
  /** Keys of the nodes that it changed. */
  readonly changed: readonly string[];
}
