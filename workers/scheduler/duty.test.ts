import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { DomainError } from "@/server/domain/failure";
import type { Ctx } from "@/server/engine/context";
import type { Recovered } from "@/server/engine/runs/recover";
import { createDuty, DUTY_LIMIT_MS, DutyHangs, MOST_FAILURES, TermLost } from "./duty";
import type { Term } from "./term";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const quiet = () => {};
const ctx = {
  clock: { now: () => new Date(), monotonicMs: () => performance.now() },
  log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
} as unknown as Ctx;
const NOTHING: Recovered = { count: 0, more: false };

function dutyOf(run: () => Promise<Recovered>, everyMs = 1_000, more: { tellsOnly?: true } = {}) {
  const end = new AbortController();
  let trusted = true;
  const term: Term = { epoch: 1, signal: end.signal, trusted: () => trusted && !end.signal.aborted };
  const duty = createDuty({ name: "sweep", everyMs, run, ...more }, { ctx, fence: { name: "scheduler", epoch: 1 }, term });
  return { duty, end: () => end.abort(), distrust: () => (trusted = false) };
}

describe("a duty of the leader", () => {
  test("runs at once, then at its interval, and again while a batch was full", async () => {
    const answers: Recovered[] = [
      { count: 100, more: true },
      { count: 3, more: false },
    ];
    let runs = 0;
    const { duty, end } = dutyOf(async () => {
      runs++;
      return answers.shift() ?? NOTHING;
    });
    const work = duty.work();
    await vi.advanceTimersByTimeAsync(0);
    expect(runs).toBe(2);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(runs).toBe(4);
    end();
    await work;
  });

  test("one that only tells of things is shown as failing, goes on trying, and costs no term (B43, EXC-4)", async () => {
    let runs = 0;
    const failing = async () => {
      runs++;
      throw new Error("a row that cannot be decided");
    };
    const { duty, end } = dutyOf(failing, 1_000, { tellsOnly: true });
    const work = duty.work();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(duty.health()).toMatchObject({ failures: runs, why: "a row that cannot be decided", lastMs: null });
    expect(runs).toBeGreaterThan(MOST_FAILURES + 5);
    end();
    await expect(work).resolves.toBeUndefined();
  });

  test("a full batch of which nothing moved is left for the next time", async () => {
    let runs = 0;
    const { duty, end } = dutyOf(async () => {
      runs++;
      return { count: 0, more: true };
    });
    const work = duty.work();
    await vi.advanceTimersByTimeAsync(500);
    expect(runs).toBe(1);
    end();
    await work;
  });

  test("woken while it is at work, it runs once more and not twice", async () => {
    let runs = 0;
    let finish = () => {};
    const { duty, end } = dutyOf(() => {
      runs++;
      return new Promise((resolve) => {
        finish = () => resolve(NOTHING);
      });
    }, 60_000);
    const work = duty.work();
    duty.kick();
    duty.kick();
    finish();
    await vi.advanceTimersByTimeAsync(0);
    expect(runs).toBe(2);
    finish();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(runs).toBe(2);
    end();
    await work;
  });

  test("that keeps failing ends the term, so that a leader does all of its duties or none (B43)", async () => {
    let runs = 0;
    const { duty } = dutyOf(async () => {
      runs++;
      throw new RangeError("no such column");
    });
    const outcome = duty.work().catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await outcome).toMatchObject({ message: expect.stringContaining(`failed ${MOST_FAILURES} times`) });
    expect(runs).toBe(MOST_FAILURES);
  });

  test("is not to blame for a database that is away", async () => {
    let runs = 0;
    const { duty, end } = dutyOf(async () => {
      runs++;
      throw new Error("Failed query", { cause: Object.assign(new Error("refused"), { code: "ECONNREFUSED" }) });
    });
    const work = duty.work();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(runs).toBeGreaterThan(MOST_FAILURES);
    expect(duty.health().failures).toBe(0);
    end();
    await work;
  });

  test("that the database fenced off knows that its term is lost (SCH-7)", async () => {
    const { duty } = dutyOf(async () => {
      throw new DomainError("stale", "epoch 1 is over");
    });
    await expect(duty.work()).rejects.toBeInstanceOf(TermLost);
  });

  test("that does not end in time ends the term, as over a connection that is dead without a word (B43, F3)", async () => {
    const { duty } = dutyOf(() => new Promise(() => {}));
    const outcome = duty.work().catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(DUTY_LIMIT_MS);
    expect(await outcome).toBeInstanceOf(DutyHangs);
  });

  test("issues nothing once its term is not trusted any more", async () => {
    let runs = 0;
    const { duty, end, distrust } = dutyOf(async () => {
      runs++;
      return { count: 1, more: true };
    });
    distrust();
    const work = duty.work();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(runs).toBe(0);
    end();
    await work;
  });
});
