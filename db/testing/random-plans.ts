import fc from "fast-check";
import { FAILURE_POLICIES, type FailurePolicy, JOIN_RULES } from "../../server/domain/pipeline/definition";
import { type NodeInput, node, waitNode } from "./plans";

export interface RandomPlan {
  readonly nodes: readonly NodeInput[];
  readonly onFailure: FailurePolicy;
}

interface Times {
  readonly maxNodes: number;
  readonly group?: string;
  readonly delays: readonly string[];
  readonly jitter: readonly [number, number];
  readonly deadline: string;
  readonly wait: string;
  /** Also nodes that others name as their fallback, and nodes that leave their retries to the default. */
  readonly rich?: boolean;
}

/** Any small graph: every join rule, up to six retries, some waits, every failure policy. */
export const randomPlans = ({ maxNodes, group, delays, jitter, deadline, wait, rich = false }: Times): fc.Arbitrary<RandomPlan> =>
  fc
    .record({
      nodes: fc.array(
        fc.record({
          needs: fc.array(fc.nat(), { maxLength: 3 }),
          join: fc.constantFrom(...JOIN_RULES),
          retries: fc.constantFrom(0, 1, 2, 2, 6),
          isWait: fc.integer({ min: 0, max: 6 }).map((n) => n === 0),
          fallback: rich ? fc.option(fc.nat(), { nil: null, freq: 2 }) : fc.constant(null),
          isDefault: rich ? fc.boolean() : fc.constant(false),
        }),
        { minLength: 1, maxLength: maxNodes, size: "max" },
      ),
      onFailure: fc.constantFrom(...FAILURE_POLICIES),
    })
    .map(({ nodes, onFailure }) => ({
      onFailure,
      nodes: nodes.map(({ join, retries, isWait, fallback, isDefault }, index): NodeInput => {
        const keys = needsOf(nodes, index).map((need) => `n${need}`);
        if (isWait) return { ...waitNode(`n${index}`, keys, { for: wait }), join };
        const own = { retries, delays: [...delays], jitter: [...jitter] as [number, number] };
        const retry = isDefault ? ({ policy: "default" } as const) : own;
        const standIn = fallback === null ? undefined : standInOf(nodes, index, fallback);
        return node(`n${index}`, keys, {
          ...{ join, retry, deadline },
          ...(group === undefined ? {} : { group }),
          ...(standIn === undefined ? {} : { fallback: `n${standIn}` }),
        });
      }),
    }));

type Drawn = readonly { readonly needs: readonly number[] }[];

const needsOf = (nodes: Drawn, index: number): number[] =>
  index === 0 ? [] : [...new Set((nodes[index]?.needs ?? []).map((need) => need % index))];

/** One that waits for nothing which would wait for it: it comes later, and needs nothing, or the node alone. */
function standInOf(nodes: Drawn, index: number, number: number): number | undefined {
  const fit = nodes.flatMap((_, other) => (other > index && needsOf(nodes, other).every((need) => need === index) ? [other] : []));
  return fit[number % Math.max(1, fit.length)];
}
