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
}

/** Any small graph: every join rule, up to six retries, some waits, every failure policy. */
export const randomPlans = ({ maxNodes, group, delays, jitter, deadline, wait }: Times): fc.Arbitrary<RandomPlan> =>
  fc
    .record({
      nodes: fc.array(
        fc.record({
          needs: fc.array(fc.nat(), { maxLength: 3 }),
          join: fc.constantFrom(...JOIN_RULES),
          retries: fc.constantFrom(0, 1, 2, 2, 6),
          isWait: fc.integer({ min: 0, max: 6 }).map((n) => n === 0),
        }),
        { minLength: 1, maxLength: maxNodes, size: "max" },
      ),
      onFailure: fc.constantFrom(...FAILURE_POLICIES),
    })
    .map(({ nodes, onFailure }) => ({
      onFailure,
      nodes: nodes.map(({ needs, join, retries, isWait }, index): NodeInput => {
        const keys = index === 0 ? [] : [...new Set(needs.map((need) => `n${need % index}`))];
        if (isWait) return { ...waitNode(`n${index}`, keys, { for: wait }), join };
        const retry = { retries, delays: [...delays], jitter: [...jitter] as [number, number] };
        return node(`n${index}`, keys, { join, retry, deadline, ...(group === undefined ? {} : { group }) });
      }),
    }));
