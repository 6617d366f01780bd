import { z } from "zod";
import { GRADES, type Grade } from "./grade";
import { matchesCode, patternSchema } from "./pattern";
import { TASK_CLASSES } from "./task-class";
import { weekTimesSchema } from "./week";

/** What a person can be asked to do about an alert. */
export const ACTIONS = ["restart_worker", "drain_worker", "retry", "pause", "call_owner"] as const;

const name = z.string().trim().min(1).max(80);
/** Stays the same when the rest of a rule is edited, so that receipts and the ledger still mean it. */
const ruleId = z.string().regex(/^[a-z0-9-]{1,40}$/, { error: "not an id; write a-z, 0-9 and -" });

export const ruleSchema = z
  .strictObject({
    id: ruleId,
    name,
    pattern: patternSchema,
    grade: z.enum(GRADES),
    actionRequired: z.strictObject({ action: z.enum(ACTIONS), target: z.string().trim().min(1).max(120) }).nullable(),
    enabled: z.boolean(),
  })
  .refine((rule) => rule.grade !== "P0" || rule.actionRequired !== null, {
    path: ["actionRequired"],
    error: "a P0 rule must say what is to be done: an action and its target",
  });
export type AlertRule = z.output<typeof ruleSchema>;

/** While it lasts, what matches becomes P4. */
export const windowSchema = z.strictObject({ id: ruleId, name, pattern: patternSchema, times: weekTimesSchema });
export type BusinessWindow = z.output<typeof windowSchema>;

/** While a cause was seen within the last minutes, what follows from it pages nobody. */
export const inhibitionSchema = z.strictObject({
  id: ruleId,
  cause: patternSchema,
  targets: z.array(patternSchema).min(1).max(20),
  minutes: z.int().min(1).max(1_440),
});
export type Inhibition = z.output<typeof inhibitionSchema>;

const unique = (list: readonly { readonly id: string }[]) => new Set(list.map(({ id }) => id)).size === list.length;
const twice = { error: "two of them have the same id" };

export const policySchema = z.strictObject({
  /** In order: the first that matches grades. */
  rules: z.array(ruleSchema).max(200).refine(unique, twice),
  windows: z.array(windowSchema).max(50).refine(unique, twice),
  inhibitions: z.array(inhibitionSchema).max(100).refine(unique, twice),
  workingHours: weekTimesSchema,
  /** By pipeline; one that is not named is basic. */
  classes: z.record(z.uuid(), z.enum(TASK_CLASSES)),
});
export type AlertPolicy = z.output<typeof policySchema>;

/** What no rule matches. */
export const UNMATCHED_GRADE: Grade = "P2";

/** What holds until somebody saves another one. */
export const SHIPPED_POLICY: AlertPolicy = {
  rules: [
    shipped("oom", "Out of memory", "*_OOM_*", "P0", { action: "restart_worker", target: "worker" }),
    shipped("deadlock", "Deadlock", "*_DEADLOCK_*", "P0", { action: "retry", target: "node" }),
    shipped("timeout", "Out of time", "*_TIMEOUT_*", "P1"),
    shipped("silence", "Silence", "APOLLO_SILENT_*", "P1"),
    shipped("validation", "Invalid data", "*_VALIDATION_*", "P2"),
  ],
  windows: [],
  inhibitions: [],
  workingHours: { zone: "UTC", days: [1, 2, 3, 4, 5], from: "09:00", to: "18:00" },
  classes: {},
};

function shipped(id: string, name: string, pattern: string, grade: Grade, actionRequired: AlertRule["actionRequired"] = null): AlertRule {
  return { id, name, pattern, grade, actionRequired, enabled: true };
}

/** The first rule in force that matches; null where none does. */
export const ruleOf = ({ rules }: Pick<AlertPolicy, "rules">, code: string): AlertRule | null =>
  rules.find((rule) => rule.enabled && matchesCode(rule.pattern, code)) ?? null;
