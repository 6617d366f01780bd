import type { RoutingRule } from "@/server/domain/routing/rule";
import type { DraftRule } from "../views";

export const draftOf = (rules: readonly RoutingRule[]): readonly DraftRule[] => rules.map((rule, index) => ({ key: `r${index}`, rule }));

/** The rules with one of them a place further up or down; as they are where it stands at the end already. */
export function moveRule(rules: readonly DraftRule[], key: string, by: -1 | 1): readonly DraftRule[] {
  const at = rules.findIndex((each) => each.key === key);
  const [here, there] = [rules[at], rules[at + by]];
  if (!here || !there) return rules;
  return rules.map((each, index) => (index === at ? there : index === at + by ? here : each));
}

/** A changed rule takes its place again; a new one comes first, since the first that fits decides. */
export function putRule(rules: readonly DraftRule[], key: string | null, rule: RoutingRule): readonly DraftRule[] {
  if (key !== null) return rules.map((each) => (each.key === key ? { key, rule } : each));
  const taken = new Set(rules.map((each) => each.key));
  let number = rules.length;
  while (taken.has(`r${number}`)) number += 1;
  return [{ key: `r${number}`, rule }, ...rules];
}

export const removeRule = (rules: readonly DraftRule[], key: string): readonly DraftRule[] => rules.filter((each) => each.key !== key);

export const isSame = (draft: readonly DraftRule[], rules: readonly RoutingRule[]): boolean =>
  JSON.stringify(draft.map(({ rule }) => rule)) === JSON.stringify(rules);
