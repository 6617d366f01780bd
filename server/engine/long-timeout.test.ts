import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { longTimeout } from "./long-timeout";

const DAY_MS = 86_400_000;
beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test.each([5, 24.8 * DAY_MS, 30 * DAY_MS, 400 * DAY_MS])(
  "a limit of %d ms is over then, and neither at once nor before (RUN-3)",
  (limitMs) => {
    let isOver = false;
    longTimeout(limitMs, () => {
      isOver = true;
    });
    vi.advanceTimersByTime(limitMs - 1);
    expect(isOver).toBe(false);
    vi.advanceTimersByTime(1);
    expect(isOver).toBe(true);
  },
);

test("a limit that was cleared never comes, also after its timer was set again (RUN-3)", () => {
  let isOver = false;
  const limit = longTimeout(60 * DAY_MS, () => {
    isOver = true;
  });
  vi.advanceTimersByTime(30 * DAY_MS);
  limit.clear();
  vi.advanceTimersByTime(90 * DAY_MS);
  expect(isOver).toBe(false);
});
