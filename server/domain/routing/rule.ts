import { z } from "zod";
import { durationMs, durationSchema } from "../duration";
import { CODE_PATTERN } from "../errors/code-pattern";
import { pipelineNameSchema, TASK_CLASSES, textSchema } from "../pipeline/definition";
import { DEFAULT_BASE_MS, DEFAULT_JITTER_MS, type RetryDelays } from "../retry/by-code";
import { ROUTE_ACTIONS } from "./route";

export const MAX_RULES = 100;

/** Of a `retry`: when it comes. The count stays the node's. */
const delaysSchema = z.union([
  z.strictObject({ base: durationSchema.default(`${DEFAULT_BASE_MS}ms`), jitter: durationSchema.default(`${DEFAULT_JITTER_MS}ms`) }),
  z.strictObject({
    delays: z.array(durationSchema).min(1).max(20),
    jitter: z.tuple([z.number().min(0).max(1), z.number().min(0).max(1)]).default([0.3, 0.7]),
  }),
]);

export const ruleSchema = z
  .strictObject({
    /** What events and the review queue call it. */
    name: textSchema(80).trim().min(1, { error: "give the rule a name; events and the review queue show it" }),
    pattern: z.string().min(1).max(64).regex(CODE_PATTERN, { error: "use A-Z, 0-9, _ and * for any stretch, such as *_TIMEOUT_*" }),
    /** Only failures of this pipeline. */
    pipeline: pipelineNameSchema.optional(),
    /** Only of pipelines with this label. */
    label: z.strictObject({ key: textSchema(64).min(1), value: textSchema(200) }).optional(),
    taskClass: z.enum(TASK_CLASSES).optional(),
    action: z.enum(ROUTE_ACTIONS),
    delays: delaysSchema.optional(),
  })
  .refine(({ action, delays }) => delays === undefined || action === "retry", {
    error: "delays belong to the action retry",
    path: ["delays"],
  });

/** In order: the first that fits decides. */
export const rulesSchema = z
  .array(ruleSchema)
  .max(MAX_RULES)
  .superRefine((rules, issues) => {
    for (const [index, { name }] of rules.entries()) {
      if (rules.findIndex((rule) => rule.name === name) === index) continue;
      issues.addIssue({ code: "custom", path: [index, "name"], message: `another rule is called "${name}"; choose another name` });
    }
  });

export type RoutingRule = z.infer<typeof ruleSchema>;
export type RoutingRuleInput = z.input<typeof ruleSchema>;

/** The delays that a rule's policy stands for; null where it leaves them to the node. */
export function delaysOf({ delays }: RoutingRule): RetryDelays | null {
  if (delays === undefined) return null;
  if ("delays" in delays) return { kind: "listed", delaysMs: delays.delays.map(durationMs), jitter: delays.jitter };
  return { kind: "exponential", baseMs: durationMs(delays.base), jitterMs: durationMs(delays.jitter) };
}

/** What a project has before anybody has written a table: version 0. */
export const SHIPPED_RULES: readonly RoutingRule[] = [
  { name: "Time-outs are tried again", pattern: "*_TIMEOUT_*", action: "retry" },
  { name: "Shortages go to the owner", pattern: "*_SHORTAGE_*", action: "review" },
  { name: "Workers out of memory are taken out", pattern: "*WORKER_OOM_*", action: "breaker" },
];
