import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { must } from "@/db/testing/decision-checks";
import { runs } from "@/db/testing/property";
import { type History, histories, RandomRun } from "@/db/testing/random-run";
import { changeData, type FoldEvent, foldEvents } from "./fold";
import type { NodeChange } from "./model";
import { isTerminalRun } from "./states";

const STEPS = 40;
/** Seven seconds of work, on a machine that others may load. */
const PATIENT = 120_000;
const play = ({ plan, steps }: History): RandomRun => new RandomRun(plan).play(steps);

const foldEvent = (change: NodeChange): FoldEvent => ({
  event: change.event,
  nodeKey: change.key,
  generation: change.next.generation,
  attemptNo: change.next.attemptNo,
  to: change.to,
  data: JSON.parse(JSON.stringify(changeData(change))) as Record<string, unknown>,
});

function foldsBack({ facts, changes }: RandomRun): void {
  const folded = foldEvents([...facts.nodes.keys()], changes.map(foldEvent));
  for (const { key, state, generation, attemptNo, attempts, token, skipCause, executionId } of facts.nodes.values()) {
    const born = executionId === `x-${key}`;
    const row = { state, generation, attemptNo, attempts, token, skipCause, executionId: born ? null : executionId };
    if (!isDeepStrictEqual(folded.nodes.get(key), row)) must(false, `the fold of ${key} equals its row: ${JSON.stringify(row)}`);
  }
}

/** What the steps say of attempts, failures and completions is what the naive model has kept of them. */
function keepsTheSameLedger({ changes, naive }: RandomRun): void {
  const begun = changes.filter(({ to }) => to === "RUNNING");
  const ended = new Map(
    changes.flatMap(({ key, before, outcome }) => (outcome ? [[`${key}/${before.generation}/${before.attemptNo}`, outcome]] : [])),
  );
  const ledger = begun.map(({ key, next: { generation, attemptNo, token } }) => ({
    ...{ key, generation, no: attemptNo, token },
    outcome: ended.get(`${key}/${generation}/${attemptNo}`) ?? null,
  }));
  const naively = naive.attempts.map(({ key, generation, no, token, outcome }) => ({ key, generation, no, token, outcome }));
  if (!isDeepStrictEqual(ledger, naively)) must(false, `2: the attempts are ${JSON.stringify([ledger, naively])}`);
  must(changes.filter(({ failure }) => failure).length === naive.failures, "18: one failure for each step that one caused");
  const completed = changes.flatMap(({ to, next }) => (to === "SUCCESS" ? [next.executionId] : []));
  must(new Set(completed).size === completed.length, "3: an execution is completed once");
  must(completed.length === naive.completed.length, "3: what is completed is completed in both");
}

describe("random histories with repeats, reorderings and losses", () => {
  it(
    "agree after every step with a naive sequential model, keep every invariant of one run, and fold back to their facts (RUN-1, RUN-2, RUN-9, IDM-2, RTY-3)",
    () => {
      fc.assert(
        fc.property(histories(STEPS), (history) => {
          const run = play(history);
          foldsBack(run);
          keepsTheSameLedger(run);
        }),
        runs(9_000),
      );
    },
    PATIENT,
  );

  it(
    "come to rest once faults stop: the run has ended, or waits for a person who has a reason (RUN-7)",
    () => {
      fc.assert(
        fc.property(histories(STEPS), (history) => {
          const run = play(history);
          if (run.facts.pausedByPerson) run.feed({ kind: "resumeRun" });
          if (run.facts.state === "PENDING") run.feed({ kind: "activated" });
          for (let round = 0; round < 200 && run.facts.state === "RUNNING"; round++) {
            run.wait(5_000).sweep();
            for (const { key, state } of [...run.facts.nodes.values()]) {
              if (state === "QUEUED") run.feed({ kind: "claimed", key, token: run.node(key).token + 1 });
              if (run.plan.byKey.get(key)?.type !== "wait") run.feed({ kind: "succeeded", key, token: run.node(key).token });
            }
          }
          const { state, nodes } = run.facts;
          const held = [...nodes.values()].some((each) => ["FAILED", "TIMEOUT", "MANUAL_REVIEW", "CANCELED"].includes(each.state));
          must(isTerminalRun(state) || (state === "PAUSED" && held), `it rests: ${state}, ${JSON.stringify(run.states())}`);
        }),
        runs(1_500),
      );
    },
    PATIENT,
  );

  it("give the same decisions when they are played again (RUN-9)", () => {
    fc.assert(
      fc.property(histories(STEPS), (history) => {
        expect(play(history).changes).toEqual(play(history).changes);
      }),
      runs(200),
    );
  });
});
