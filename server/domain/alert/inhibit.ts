import type { Cause, Suppressor } from "./model";
import { matchesCode } from "./pattern";
import type { AlertPolicy, Inhibition } from "./policy";

/** So long a consequence waits for its cause, which is often seen a moment later; then people are told. */
export const GRACE_MS = 10_000;

type Seen = { readonly code: string; readonly at: Date };

/** All that an occurrence follows from, a rule each. What is a cause of the rule itself is never inhibited by it. */
export const inhibitionsOn = (policy: AlertPolicy, seen: Seen, causes: readonly Cause[]): Suppressor[] =>
  inhibitionsWhere(policy, seen.code, causes, (cause, ms) => {
    const at = seen.at.getTime();
    return at >= cause.from.getTime() - ms && at <= cause.to.getTime() + ms;
  });

/** Of what was kept back already: as long as the cause is open, or was seen within the rule's minutes. */
export const inhibitionsStill = (policy: AlertPolicy, { code, at }: Seen, causes: readonly Cause[]): Suppressor[] =>
  inhibitionsWhere(policy, code, causes, (cause, ms) => cause.open || at.getTime() < cause.to.getTime() + ms);

function inhibitionsWhere(
  { inhibitions }: AlertPolicy,
  code: string,
  causes: readonly Cause[],
  isActive: (cause: Cause, ms: number) => boolean,
): Suppressor[] {
  return inhibitions.flatMap((rule): Suppressor[] => {
    if (!follows(rule, code)) return [];
    const ms = rule.minutes * 60_000;
    // A chain that leads back to it is no cause of it: of a circle the first is told.
    const cause = causes.find((each) => matchesCode(rule.cause, each.code) && each.root !== code && isActive(each, ms));
    if (!cause) return [];
    const until = cause.open ? null : new Date(cause.to.getTime() + ms);
    return [{ kind: "inhibition", ref: rule.id, data: { cause: cause.code, root: cause.root, rule: rule.id }, until }];
  });
}

const follows = (rule: Inhibition, code: string): boolean =>
  !matchesCode(rule.cause, code) && rule.targets.some((target) => matchesCode(target, code));

/** Whether any rule would inhibit this code, given its cause. */
export const isTarget = ({ inhibitions }: AlertPolicy, code: string): boolean => inhibitions.some((rule) => follows(rule, code));

/**
 * Of each code how many of the others lead to it without it leading back: whoever decides in this order has decided on every
 * cause before its consequences, however long the chain. Those of a circle rank the same.
 */
export function causeRanks({ inhibitions }: AlertPolicy, codes: Iterable<string>): ReadonlyMap<string, number> {
  const all = [...new Set(codes)];
  const next = new Map<string, Set<string>>();
  for (const rule of inhibitions) {
    const targets = all.filter((code) => follows(rule, code));
    if (targets.length === 0) continue;
    for (const cause of all.filter((code) => matchesCode(rule.cause, code))) {
      next.set(cause, new Set([...(next.get(cause) ?? []), ...targets]));
    }
  }
  const reach = new Map([...next.keys()].map((code) => [code, reachOf(code, next)]));
  const ranks = new Map<string, number>();
  for (const [cause, targets] of reach) {
    for (const target of targets) if (!reach.get(target)?.has(cause)) ranks.set(target, (ranks.get(target) ?? 0) + 1);
  }
  return ranks;
}

function reachOf(start: string, next: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [start];
  for (let code = open.pop(); code !== undefined; code = open.pop()) {
    for (const each of next.get(code) ?? []) {
      if (found.has(each)) continue;
      found.add(each);
      open.push(each);
    }
  }
  return found;
}
