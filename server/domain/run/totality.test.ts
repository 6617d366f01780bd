import { describe, expect, it } from "vitest";
import { bornNode, failureOf, node, planFor, waitNode } from "@/db/testing/plans";
import { FAILURE_POLICIES } from "../pipeline/definition";
import { ROUTE_ACTIONS } from "../routing/route";
import { decide } from "./decide";
import type { NodeFacts, RunEvent, RunFacts, RunPlan } from "./model";
import { runStateOf } from "./run-state";
import { NODE_STATES, SKIP_CAUSES } from "./states";

const NOW = new Date("2026-03-01T00:00:00Z");
const TOKEN = 3;

/** Every node state, and each way to be skipped. */
const CONDITIONS: readonly Partial<NodeFacts>[] = NODE_STATES.flatMap((state): Partial<NodeFacts>[] =>
  state === "SKIPPED" ? SKIP_CAUSES.map((skipCause) => ({ state, skipCause })) : [{ state }],
);

/** The node behind it, in one condition of each kind. */
const BEHIND: readonly Partial<NodeFacts>[] = [
  { state: "PENDING" },
  { state: "RUNNING" },
  { state: "SUCCESS" },
  { state: "CANCELED" },
  { state: "SKIPPED", skipCause: "upstream" },
];

/** Everything that can be told of node `a`, with the right token and with a spent one; and of a node that there is not. */
const EVENTS: readonly RunEvent[] = [
  ...["a", "nowhere"].flatMap((key) => [
    ...[TOKEN - 1, TOKEN, TOKEN + 1].flatMap((token): RunEvent[] => [
      { kind: "claimed", key, token },
      { kind: "succeeded", key, token },
      { kind: "attemptFailed", key, token, failure: failureOf(), jitter: 0.5 },
      { kind: "attemptFailed", key, token, failure: failureOf("TEST_INPUT_INVALID_422", false), jitter: 0 },
      { kind: "attemptFailed", key, token, failure: { ...failureOf("TEST_TASK_CRASH_500"), deaths: 3 }, jitter: 0 },
      { kind: "attemptTimedOut", key, token, failure: failureOf("TEST_A_TIMEOUT_504"), jitter: 0.999 },
      { kind: "workerLost", key, token, failure: failureOf("APOLLO_WORKER_LOST_503") },
      { kind: "handedBack", key, token, begun: true },
      ...ROUTE_ACTIONS.flatMap((action): RunEvent[] => {
        const route = { rule: "a rule", version: 1, action, delays: null };
        return [
          { kind: "attemptFailed", key, token, failure: failureOf(), jitter: 0, route },
          { kind: "attemptTimedOut", key, token, failure: failureOf("TEST_A_TIMEOUT_504"), jitter: 0, route },
          { kind: "workerLost", key, token, failure: failureOf("APOLLO_WORKER_LOST_503"), route },
        ];
      }),
    ]),
    ...(
      ["handedOn", "waitElapsed", "retryDue", "retryStuck", "retryNode", "skipNode", "markSuccess", "cancelNode", "reviewNode"] as const
    ).map((kind) => ({ kind, key })),
    { kind: "deadlinePassed", key, failure: failureOf("APOLLO_NODE_DEADLINE_504") } as const,
    ...[[], ["a", "b"]].map(
      (keys) => ({ kind: "rerunFrom", key, executionIds: new Map(keys.map((each) => [each, `x-${each}2`])) }) as const,
    ),
  ]),
  ...(["activated", "cancelRun", "pauseRun", "resumeRun"] as const).map((kind) => ({ kind })),
];

/** Facts as no history may reach them, too: whatever stands in the rows gets an answer. */
function* situations(plan: RunPlan): Generator<RunFacts> {
  const times = [null, new Date(NOW.getTime() - 1_000), new Date(NOW.getTime() + 1_000)];
  for (const [index, a] of CONDITIONS.entries()) {
    for (const b of BEHIND) {
      for (let flags = 0; flags < 8; flags++) {
        const counts = {
          token: TOKEN,
          attempts: flags % 4,
          attemptNo: 3,
          dueAt: times[flags % 3] ?? null,
          deadlineAt: times[index % 3] ?? null,
        };
        const nodes = new Map([
          ["a", { ...bornNode("a"), ...counts, ...a }],
          ["b", { ...bornNode("b"), ...b }],
        ]);
        const wishes = { activated: (flags & 1) > 0, cancelRequested: (flags & 2) > 0, pausedByPerson: (flags & 4) > 0 };
        yield { id: "run-1", ...wishes, nodes, state: runStateOf(plan.onFailure, { ...wishes, nodes }) };
      }
    }
  }
}

describe("every event in every state", () => {
  it.each(FAILURE_POLICIES)(
    "gets an answer with onFailure %s: it moves the run, is refused or is superseded, and throws never (RUN-1)",
    (onFailure) => {
      const answers = new Set<string>();
      const broken: string[] = [];
      for (const plan of [
        planFor([node("a", [], { retry: { retries: 2, delays: ["1s"], jitter: [0, 1] } }), node("b", ["a"])], { onFailure }),
        planFor([node("a", [], { fallback: "b" }), node("b", ["a"])], { onFailure }),
        planFor([waitNode("a", [], { for: "1s" }), node("b", ["a"], { join: "all_done" })], { onFailure }),
      ]) {
        for (const facts of situations(plan)) {
          for (const event of EVENTS) {
            const told = () =>
              `${event.kind} with ${JSON.stringify([...facts.nodes.values()].map(({ state }) => state))} of a run that is ${facts.state}`;
            try {
              const { kind } = decide(plan, facts, event, { now: NOW });
              answers.add(kind);
              const ofPeople = kind !== "refused" || !("token" in event);
              if (!ofPeople) broken.push(`${told()}: a report is refused`);
            } catch (error) {
              broken.push(`${told()}: ${String(error)}`);
            }
          }
        }
      }
      expect(broken.slice(0, 10)).toEqual([]);
      expect([...answers].sort()).toEqual(["applied", "refused", "superseded"]);
    },
  );
});
