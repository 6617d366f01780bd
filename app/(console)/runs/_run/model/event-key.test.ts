import { expect, it } from "vitest";
import { eventKey, isLate, lastByPerson, reasonOf } from "./event-key";

it.each([
  ["succeeded", "succeeded"],
  ["run.created", "runCreated"],
  ["run.cancelRequested", "runCancelRequested"],
  ["late.attemptFailed", "lateAttemptFailed"],
  ["run.somethingNew", "other"],
  ["burned", "other"],
] as const)("the event %s is told as %s", (event, key) => {
  expect(eventKey({ event, from: null })).toBe(key);
});

it("a run begins once, and goes on after each pause", () => {
  expect(eventKey({ event: "run.running", from: "PENDING" })).toBe("runBegan");
  expect(eventKey({ event: "run.running", from: "PAUSED" })).toBe("runRunning");
});

it("a late result is told apart from one that was applied (IDM-2)", () => {
  expect(isLate({ event: "late.succeeded" })).toBe(true);
  expect(isLate({ event: "succeeded" })).toBe(false);
});

it("who was faster is the last person after the dialog was opened, never a worker (RUN-3)", () => {
  const event = (kind: "user" | "worker", second: number, event = "retryRequested") => ({
    event,
    actor: { kind, id: kind, label: kind },
    at: new Date(second * 1000),
  });
  const events = [event("user", 1), event("user", 5), event("user", 5.1, "run.running"), event("worker", 6)];
  expect(lastByPerson(events, 4_000)?.at).toEqual(new Date(5_000));
  expect(lastByPerson(events, 5_500)).toBeNull();
});

it("a reason is told where one was given", () => {
  expect(reasonOf({ data: { reason: "upstream is back" } })).toBe("upstream is back");
  expect(reasonOf({ data: { reason: "" } })).toBeNull();
  expect(reasonOf({ data: {} })).toBeNull();
});
