import { expect, it } from "vitest";
import type { RunEventView } from "../views";
import { mergeEvents, tailCursor } from "./event-tail";

const START = Date.UTC(2026, 0, 1);
const event = (id: number, second: number): RunEventView => ({
  id: String(id),
  at: new Date(START + second * 1_000),
  event: "ready",
  nodeKey: "a",
  generation: 1,
  attemptNo: 0,
  from: null,
  to: null,
  actor: { kind: "system", id: "engine", label: "engine" },
  cause: "",
  data: {},
});
const ids = (events: readonly RunEventView[]) => events.map(({ id }) => id);

it("an event that is committed after one with a higher number is still shown, in its place (RUN-9)", () => {
  const before = mergeEvents([], [event(1, 0), event(2, 60), event(4, 61)]);
  expect(tailCursor(before)).toBe("1");
  const after = mergeEvents(before, [event(2, 60), event(3, 61), event(4, 61), event(5, 62)]);
  expect(ids(after)).toEqual(["1", "2", "3", "4", "5"]);
});

it("reads on from what is settled for sure, and from the start while nothing is (RUN-9)", () => {
  expect(tailCursor([])).toBeNull();
  expect(tailCursor([event(1, 0), event(2, 3)])).toBeNull();
  expect(tailCursor([event(1, 0), event(2, 30), event(3, 31), event(9, 35)])).toBe("1");
  expect(tailCursor([event(1, 0), event(2, 30), event(3, 31), event(9, 300)])).toBe("3");
});

it("keeps the list as it is when a page brings nothing new, and sorts numbers as numbers (RUN-9)", () => {
  const known = mergeEvents([], [event(9, 0), event(10, 0)]);
  expect(mergeEvents(known, [event(9, 0)])).toBe(known);
  expect(ids(mergeEvents(known, [event(100, 1), event(8, 0)]))).toEqual(["8", "9", "10", "100"]);
});
