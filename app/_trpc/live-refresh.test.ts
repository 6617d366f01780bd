import { describe, expect, it } from "vitest";
import { liveRefresh } from "./live-refresh";

/** A refresh and a timer that end when the test says so. */
function scene() {
  const timers: (() => void)[] = [];
  const rounds: (() => void)[] = [];
  const changed = liveRefresh(
    () => new Promise((resolve) => rounds.push(() => resolve(undefined))),
    (work) => timers.push(work),
  );
  const settle = async () => {
    rounds.at(-1)?.();
    timers.at(-1)?.();
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  };
  return { changed, rounds, settle };
}

describe("the refresh of a live page", () => {
  it("asks at once, then one round at a time, and once more for all that changed during it (OBS-5)", async () => {
    const { changed, rounds, settle } = scene();
    changed();
    expect(rounds).toHaveLength(1);
    for (let n = 0; n < 50; n++) changed();
    expect(rounds).toHaveLength(1);
    await settle();
    expect(rounds).toHaveLength(2);
    await settle();
    expect(rounds).toHaveLength(2);
    changed();
    expect(rounds).toHaveLength(3);
  });

  it("goes on after a round that failed (OBS-5)", async () => {
    let rounds = 0;
    const timers: (() => void)[] = [];
    const changed = liveRefresh(
      () => {
        rounds += 1;
        return Promise.reject(new Error("offline"));
      },
      (work) => timers.push(work),
    );
    changed();
    changed();
    timers[0]?.();
    for (let turn = 0; turn < 8; turn++) await Promise.resolve();
    expect(rounds).toBe(2);
  });
});
