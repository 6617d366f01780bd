import { type RoutingRule, type RoutingRuleInput, ruleSchema } from "@/server/domain/routing/rule";

/** A rule as its form holds it: texts, of which some may be wrong. */
export interface RuleFields {
  name: string;
  pattern: string;
  action: RoutingRule["action"];
  pipeline: string;
  /** `key=value`. */
  label: string;
  taskClass: NonNullable<RoutingRule["taskClass"]> | "any";
  timing: "node" | "exponential" | "listed";
  base: string;
  jitter: string;
  delays: string;
}

export type FieldName = "name" | "pattern" | "pipeline" | "label" | "delays";

export function fieldsOf(rule: RoutingRule | null): RuleFields {
  const delays = rule?.delays;
  const exponential = delays && "base" in delays ? delays : null;
  return {
    name: rule?.name ?? "",
    pattern: rule?.pattern ?? "",
    action: rule?.action ?? "review",
    pipeline: rule?.pipeline ?? "",
    label: rule?.label ? `${rule.label.key}=${rule.label.value}` : "",
    taskClass: rule?.taskClass ?? "any",
    timing: delays === undefined ? "node" : exponential ? "exponential" : "listed",
    base: exponential?.base ?? "100ms",
    jitter: exponential?.jitter ?? "50ms",
    delays: delays && "delays" in delays ? delays.delays.join(", ") : "2500ms, 2m, 4m",
  };
}

/** The rule that the fields say, or the fields that say none. `taken` are the names of the others. */
export function ruleOf(
  fields: RuleFields,
  taken: readonly string[],
): { readonly rule: RoutingRule } | { readonly wrong: ReadonlySet<FieldName> } {
  const [key = "", ...rest] = fields.label.trim().split("=");
  const label = fields.label.trim() === "" ? {} : { label: { key: key.trim(), value: rest.join("=").trim() } };
  const input: RoutingRuleInput = {
    name: fields.name,
    pattern: fields.pattern.trim(),
    ...(fields.pipeline.trim() === "" ? {} : { pipeline: fields.pipeline.trim() }),
    ...label,
    ...(fields.taskClass === "any" ? {} : { taskClass: fields.taskClass }),
    action: fields.action,
    ...timingOf(fields),
  };
  const parsed = ruleSchema.safeParse(input);
  const wrong = new Set((parsed.error?.issues ?? []).map(({ path }) => String(path[0]) as FieldName));
  if (taken.includes(fields.name.trim())) wrong.add("name");
  if (fields.label.trim() !== "" && rest.length === 0) wrong.add("label");
  return parsed.success && wrong.size === 0 ? { rule: parsed.data } : { wrong };
}

function timingOf({ action, timing, base, jitter, delays }: RuleFields): Pick<RoutingRuleInput, "delays"> {
  if (action !== "retry" || timing === "node") return {};
  if (timing === "exponential") return { delays: { base: base.trim(), jitter: jitter.trim() } };
  return { delays: { delays: delays.split(/[,\s]+/).filter((each) => each !== "") } };
}
