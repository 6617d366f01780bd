import { describe, expect, it } from "vitest";
import type { AttemptView, NodeView } from "../../views";
import { attemptName, chosenAttempt, severalGenerations, stateSince } from "./attempts";
import { firstFailed, firstNode, firstTab } from "./first-look";
import { layOutGantt, shareAt, ticksOf } from "./gantt";
import { isChain, layOutFor, layOutGraph, viewOf } from "./graph-layout";
import { stagesOf } from "./instants";
import { neighbour } from "./run-keys";

const T0 = Date.parse("2026-03-01T02:00:00Z");
const at = (seconds: number) => new Date(T0 + seconds * 1000);

const attempt = (over: Omit<Partial<AttemptView>, "times"> & { times?: Partial<AttemptView["times"]> } = {}): AttemptView => ({
  generation: 1,
  no: 1,
  state: "SUCCESS",
  outcome: "succeeded",
  executionId: "e",
  token: 1,
  worker: null,
  error: null,
  traceId: "t",
  spanId: "s",
  inputs: null,
  output: null,
  response: null,
  refs: {},
  runState: "RUNNING",
  logBytes: 0,
  logTruncated: false,
  bodiesOmitted: false,
  maybeRepeated: false,
  innerRetries: 0,
  handedOn: false,
  ...over,
  times: { queuedAt: at(0), dispatchedAt: at(1), pickedUpAt: at(1), executingAt: at(2), committedAt: at(5), ...over.times },
});

const node = (key: string, over: Omit<Partial<NodeView>, "times"> & { times?: Partial<NodeView["times"]> } = {}): NodeView => ({
  key,
  title: null,
  type: "http",
  group: "default",
  needs: [],
  join: "all_success",
  state: "SUCCESS",
  waitsFor: null,
  skipCause: null,
  held: false,
  executionId: key,
  generation: 1,
  token: 1,
  output: null,
  completedBy: null,
  outputOmitted: false,
  error: null,
  maybeRepeated: false,
  attempts: [],
  possible: [],
  ...over,
  times: { queuedAt: null, startedAt: null, endedAt: null, dueAt: null, timeoutAt: null, deadlineAt: null, ...over.times },
});

describe("where a run opens (OBS-2)", () => {
  it("a failed run opens on what failed first, wherever it stands in the graph", () => {
    const nodes = [
      node("a"),
      node("late", { state: "FAILED", times: { endedAt: at(90) } }),
      node("first", { state: "TIMEOUT", times: { endedAt: at(30) } }),
    ];
    expect(firstFailed(nodes)?.key).toBe("first");
    expect(firstNode(nodes)?.key).toBe("first");
    expect(firstTab(nodes[2] ?? node("x"))).toBe("error");
  });

  it("a live run opens on what moves, and one that ended well on its end", () => {
    expect(firstNode([node("a"), node("b", { state: "RUNNING" }), node("c", { state: "QUEUED" })])?.key).toBe("b");
    expect(firstNode([node("a"), node("b")])?.key).toBe("b");
    expect(firstNode([node("a", { state: "PENDING" }), node("b", { state: "PENDING" })])?.key).toBe("a");
    expect(firstNode([])).toBeNull();
  });

  it("a node that was retried opens on the error that made it so", () => {
    expect(firstTab(node("a", { state: "RETRYING", error: { code: "ORDER_PULL_HTTP_500", message: "no" } }))).toBe("error");
    expect(firstTab(node("a", { state: "RUNNING" }))).toBe("logs");
    expect(firstTab(node("a"))).toBe("output");
  });
});

describe("attempts of a node (RUN-8)", () => {
  const two = node("a", { attempts: [attempt({ generation: 2, no: 1 }), attempt({ generation: 1, no: 2 }), attempt()] });

  it("the latest is shown unless the address names another, and a name that is gone falls back to the latest", () => {
    expect(chosenAttempt(two, null)).toMatchObject({ generation: 2, no: 1 });
    expect(chosenAttempt(two, "1.2")).toMatchObject({ generation: 1, no: 2 });
    expect(chosenAttempt(two, "9.9")).toMatchObject({ generation: 2, no: 1 });
    expect(chosenAttempt(node("a"), "1.1")).toBeNull();
  });

  it("numbers carry their generation only where there are several", () => {
    expect(severalGenerations(two.attempts)).toBe(true);
    expect(attemptName({ generation: 2, no: 1 }, true)).toBe("2.1");
    expect(attemptName({ generation: 1, no: 3 }, false)).toBe("3");
  });

  it("a retrying node stands so since its last attempt ended", () => {
    const retrying = node("a", {
      state: "RETRYING",
      attempts: [attempt({ outcome: "failed", state: "FAILED" })],
      times: { startedAt: at(2) },
    });
    expect(stateSince(retrying)).toEqual(at(5));
    expect(stateSince(node("a", { state: "PENDING" }))).toBeNull();
  });
});

describe("the five instants of an attempt (RUN-8)", () => {
  it("make four stages, and the last one of a live attempt goes on until now", () => {
    expect(stagesOf(attempt(), T0 + 60_000).map((stage) => [stage.from, stage.to, stage.endMs - stage.startMs])).toEqual([
      ["queued", "dispatched", 1000],
      ["dispatched", "pickedUp", 0],
      ["pickedUp", "executing", 1000],
      ["executing", "committed", 3000],
    ]);
    const live = stagesOf(attempt({ outcome: null, times: { committedAt: null } }), T0 + 60_000);
    expect(live.at(-1)).toMatchObject({ from: "executing", to: null, endMs: T0 + 60_000 });
  });

  it("an instant that is missing joins its neighbours, and clocks that differ make no stage negative", () => {
    const stages = stagesOf(attempt({ times: { pickedUpAt: null, executingAt: at(0.5) } }), T0);
    expect(stages.map((stage) => [stage.from, stage.to])).toEqual([
      ["queued", "dispatched"],
      ["dispatched", "executing"],
      ["executing", "committed"],
    ]);
    expect(stages.every((stage) => stage.endMs >= stage.startMs)).toBe(true);
  });
});

describe("the Gantt of a run (OBS-2)", () => {
  const failed = attempt({ outcome: "failed", state: "FAILED" });
  const again = attempt({
    no: 2,
    times: { queuedAt: at(65), dispatchedAt: at(66), pickedUpAt: at(66), executingAt: at(66), committedAt: at(70) },
  });

  it("shows waiting, work, and the rest before a retry", () => {
    const gantt = layOutGantt([node("a", { attempts: [again, failed] })], { startMs: T0, endMs: T0 + 70_000 }, T0 + 100_000);
    expect(gantt.rows[0]?.bars.map((bar) => [bar.kind, (bar.startMs - T0) / 1000, (bar.endMs - T0) / 1000])).toEqual([
      ["waits", 0, 2],
      ["works", 2, 5],
      ["rests", 5, 65],
      ["waits", 65, 66],
      ["works", 66, 70],
    ]);
    expect([gantt.fromMs, gantt.toMs]).toEqual([T0, T0 + 70_000]);
  });

  it("what still goes on reaches to now: a live attempt, a retry that is due, a place in the queue", () => {
    const nodes = [
      node("live", { state: "RUNNING", attempts: [attempt({ outcome: null, state: "RUNNING", times: { committedAt: null } })] }),
      node("due", { state: "RETRYING", attempts: [failed] }),
      node("queued", { state: "QUEUED", times: { queuedAt: at(10) } }),
      node("pending", { state: "PENDING" }),
    ];
    const gantt = layOutGantt(nodes, { startMs: T0, endMs: null }, T0 + 30_000);
    expect(gantt.rows.map((row) => row.bars.at(-1)?.endMs ?? null)).toEqual([T0 + 30_000, T0 + 30_000, T0 + 30_000, null]);
    expect(gantt.rows.map((row) => row.bars.at(-1)?.open ?? null)).toEqual([true, true, true, null]);
  });

  it("a run that stands still ends with its last bar, however long it has stood", () => {
    const gantt = layOutGantt([node("a", { state: "FAILED", attempts: [failed] })], { startMs: T0, endMs: null }, T0 + 3_600_000);
    expect(gantt.toMs).toBe(T0 + 5_000);
  });

  it("a wait without attempts is one bar from its start to its end", () => {
    const gantt = layOutGantt([node("w", { times: { startedAt: at(3), endedAt: at(9) } })], { startMs: T0, endMs: T0 + 9000 }, T0);
    expect(gantt.rows[0]?.bars).toMatchObject([{ kind: "works", startMs: T0 + 3000, endMs: T0 + 9000, open: false }]);
  });

  it.each([
    [7, [0, 2, 4, 6]],
    [70, [0, 15, 30, 45, 60]],
    [0.04, [0, 0.01, 0.02, 0.03, 0.04]],
  ])("a run of %d s has ticks at %j s", (seconds, ticks) => {
    expect(ticksOf(T0, T0 + seconds * 1000).map((ms) => (ms - T0) / 1000)).toEqual(ticks);
  });

  it("weeks still have a handful of ticks, and an instant outside is drawn at the edge", () => {
    expect(ticksOf(T0, T0 + 60 * 86_400_000).length).toBeLessThanOrEqual(8);
    expect(shareAt({ fromMs: 0, toMs: 10 }, -5)).toBe(0);
    expect(shareAt({ fromMs: 0, toMs: 10 }, 5)).toBe(0.5);
    expect(shareAt({ fromMs: 0, toMs: 10 }, 99)).toBe(1);
  });
});

describe("the graph of a run (OBS-2)", () => {
  const chain = ["a", "b", "c", "d"].map((key, index, all) => ({ key, needs: index === 0 ? [] : [all[index - 1] ?? ""] }));
  const diamond = [
    { key: "a", needs: [] },
    { key: "b", needs: ["a"] },
    { key: "c", needs: ["a"] },
    { key: "d", needs: ["b", "c"] },
  ];

  it("a chain is told from what branches, joins or begins twice", () => {
    expect(isChain(chain)).toBe(true);
    expect(isChain(diamond)).toBe(false);
    expect(
      isChain([
        { key: "a", needs: [] },
        { key: "b", needs: [] },
      ]),
    ).toBe(false);
  });

  it("goes to the right where there is room and downwards where that reads better", () => {
    expect(layOutFor(chain, { width: 1600, height: 600 }).direction).toBe("right");
    expect(layOutFor(chain, { width: 700, height: 700 }).direction).toBe("down");
  });

  it("the whole of it is seen, in the middle of a desk's pane and from the top of a phone's", () => {
    const layout = layOutGraph(chain, "down");
    const room = { width: 390, height: 500 };
    const view = viewOf(layout, { ...room, height: 2000 }, false);
    expect(view.zoom).toBe(1);
    expect(view.y).toBeCloseTo((2000 - layout.height) / 2);
    expect(viewOf(layout, room, true)).toMatchObject({ y: 0 });
    expect(layout.height * viewOf(layout, { ...room, height: 200 }, true).zoom).toBeLessThanOrEqual(200);
  });

  it("a short branch begins beside a long one, as it does in time", () => {
    const { places } = layOutGraph(
      [
        { key: "open", needs: [] },
        { key: "long1", needs: ["open"] },
        { key: "short1", needs: ["open"] },
        { key: "long2", needs: ["long1"] },
        { key: "long3", needs: ["long2"] },
        { key: "join", needs: ["long3", "short1"] },
      ],
      "down",
    );
    expect(places.get("short1")?.y).toBe(places.get("long1")?.y);
  });

  it("every node stands beyond all that it needs, and no two cards overlap", () => {
    for (const direction of ["right", "down"] as const) {
      const { places } = layOutGraph(diamond, direction);
      const along = (key: string) => (direction === "right" ? places.get(key)?.x : places.get(key)?.y) ?? Number.NaN;
      for (const { key, needs } of diamond) for (const need of needs) expect(along(key)).toBeGreaterThan(along(need));
      expect(new Set([...places.values()].map(({ x, y }) => `${x} ${y}`)).size).toBe(4);
    }
  });
});

it("the keys for the next and the previous node stop at the ends", () => {
  expect(neighbour(["a", "b"], null, 1)).toBe("a");
  expect(neighbour(["a", "b"], "a", 1)).toBe("b");
  expect(neighbour(["a", "b"], "b", 1)).toBe("b");
  expect(neighbour(["a", "b"], "gone", -1)).toBe("b");
  expect(neighbour([], null, 1)).toBeNull();
});
