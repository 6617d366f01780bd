import { matchesCode } from "../errors/code-pattern";
import type { TaskClass } from "../pipeline/definition";
import type { Route } from "./route";
import { delaysOf, type RoutingRule } from "./rule";

/** What a rule may ask of a failure. */
export interface Failing {
  readonly code: string;
  readonly pipeline: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taskClass: TaskClass;
}

export interface RoutingTable {
  /** 0 while nobody has written one: the shipped rules. */
  readonly version: number;
  readonly rules: readonly RoutingRule[];
}

function fits({ pattern, pipeline, label, taskClass }: RoutingRule, failing: Failing): boolean {
  if (!matchesCode(pattern, failing.code)) return false;
  if (pipeline !== undefined && pipeline !== failing.pipeline) return false;
  if (taskClass !== undefined && taskClass !== failing.taskClass) return false;
  return label === undefined || (Object.hasOwn(failing.labels, label.key) && failing.labels[label.key] === label.value);
}

/** The first rule that fits; null where none does, and the node's own policy decides. */
export const ruleFor = (rules: readonly RoutingRule[], failing: Failing): RoutingRule | null =>
  rules.find((rule) => fits(rule, failing)) ?? null;

/** Where a failure goes by a table (EXC-5). */
export function findRoute({ version, rules }: RoutingTable, failing: Failing): Route | null {
  const rule = ruleFor(rules, failing);
  return rule && { rule: rule.name, version, action: rule.action, delays: delaysOf(rule) };
}
