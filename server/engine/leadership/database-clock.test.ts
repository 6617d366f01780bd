import { expect, test } from "vitest";
import type { Clock } from "@/server/engine/context";
import { createDatabaseClock } from "./database-clock";

function host(wallMs: number) {
  const state = { wallMs, monotonicMs: 50 };
  const clock: Clock = { now: () => new Date(state.wallMs), monotonicMs: () => state.monotonicMs };
  return { state, clock };
}

test("a host clock that jumps an hour moves no instant once the database has been heard", () => {
  const { state, clock } = host(1_000_000);
  const time = createDatabaseClock(clock);
  time.observe(5_000_000);
  state.wallMs += 3_600_000;
  state.monotonicMs += 250;
  expect(time.now().getTime()).toBe(5_000_250);
});

test("slow answers never make the clock run behind, nor ahead of the database", () => {
  const { state, clock } = host(0);
  const time = createDatabaseClock(clock);
  const databaseAt = (monotonicMs: number) => 9_000_000 + monotonicMs;
  for (const roundTripMs of [40, 1, 300, 5, 120]) {
    const asked = state.monotonicMs + 2_000;
    state.monotonicMs = asked + roundTripMs;
    time.observe(databaseAt(asked));
    expect(time.now().getTime()).toBeLessThanOrEqual(databaseAt(state.monotonicMs));
  }
  expect(databaseAt(state.monotonicMs) - time.now().getTime()).toBe(1);
});

test("a database clock that was set back is followed at once", () => {
  const { state, clock } = host(0);
  const time = createDatabaseClock(clock);
  time.observe(9_000_000);
  state.monotonicMs += 2_000;
  time.observe(9_002_000 - 60_000);
  expect(time.now().getTime()).toBe(9_002_000 - 60_000);
});

test("before the first answer it is the host's clock", () => {
  expect(createDatabaseClock(host(77).clock).now().getTime()).toBe(77);
});
