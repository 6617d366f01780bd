import { expect, test } from "vitest";
import { until } from "@/db/testing/wait";
import type { AttemptReport, ClaimedNode } from "@/server/domain/run/work";
import { SettleLoop, type SettleLoopOptions } from "./settle-loop";

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const report = (key: string): AttemptReport => ({
  runId: "run",
  key,
  generation: 1,
  attemptNo: 1,
  executionId: `x-${key}`,
  token: 1,
  group: "default",
  times: { pickedUpAt: new Date(0), executingAt: null },
  inputs: { of: key },
  response: null,
  logBytes: 0,
  logTruncated: false,
  hops: 0,
  kind: "succeeded",
  output: null,
});
const nothing = { settlements: [], handedOn: [] };
const dataError = () => Object.assign(new Error("invalid input syntax"), { code: "22P02" });
const connectionError = () => Object.assign(new Error("gone"), { code: "57P01" });
const noAnswer = () => new Error("settle: no answer within 15000 ms");

const loop = (settle: (batch: readonly AttemptReport[]) => Promise<unknown>, more: Partial<SettleLoopOptions> = {}) => {
  const batches: string[][] = [];
  const made = new SettleLoop({
    settle: async (batch) => {
      batches.push(batch.map((each) => (each.kind === "failed" ? `${each.key}!` : each.key)));
      await settle(batch);
      return nothing;
    },
    reserve: () => ({ slots: 1, release: () => undefined }),
    onSettled: () => undefined,
    onHandedOn: () => undefined,
    onUncertain: () => undefined,
    log: quiet,
    ...more,
  });
  return { made, batches };
};

test("what piles up while one settle is in flight goes together into the next (RUN-4)", async () => {
  const gate: { open?: () => void } = {};
  const { made, batches } = loop(() =>
    gate.open
      ? Promise.resolve()
      : new Promise<void>((resolve) => {
          gate.open = resolve;
        }),
  );
  made.push(report("a"));
  await until("the first is in flight", async () => gate.open);
  for (const key of ["b", "c", "d"]) made.push(report(key));
  expect(made.knows({ runId: "run", key: "a", token: 1 })).toBe(true);
  expect(made.knows({ runId: "run", key: "a", token: 2 })).toBe(false);
  gate.open?.();
  await made.idle(5_000);
  expect(batches).toEqual([["a"], ["b", "c", "d"]]);
});

test("a database that is away for a while loses no report and drops none (P18)", async () => {
  let tries = 0;
  let uncertain = 0;
  const { made, batches } = loop(
    async () => {
      if (++tries <= 4) throw tries % 2 ? connectionError() : noAnswer();
    },
    { onUncertain: () => uncertain++ },
  );
  made.push(report("a"));
  made.push(report("b"));
  await made.idle(10_000);
  expect(batches.at(-1)).toEqual(["a", "b"]);
  expect(uncertain).toBe(4);
});

test("one report that the store refuses holds up no other, and ends as a failure of its own (B78)", async () => {
  const { made, batches } = loop(async (batch) => {
    if (batch.some((each) => each.key === "poison" && each.kind === "succeeded")) throw dataError();
  });
  for (const key of ["a", "poison", "b"]) made.push(report(key));
  await made.idle(10_000);
  const settled = batches.filter((batch) => !batch.includes("poison")).flat();
  expect(settled).toEqual(["a", "b", "poison!"]);
});

test("a report that even so is refused is given up and kept until it is sent once more, and the next ones go on (B78)", async () => {
  let isMended = false;
  const { made, batches } = loop(async (batch) => {
    if (!isMended && batch.some((each) => each.key === "poison")) throw dataError();
  });
  made.push(report("poison"));
  made.push(report("a"));
  await made.idle(20_000);
  expect(made).toMatchObject({ waiting: 0, owesNothing: false });
  expect(batches).toContainEqual(["a"]);
  expect(batches.at(-1)).toEqual(["poison!"]);
  const poison = { runId: "run", key: "poison", token: 1 };
  const left = made.knows(poison);
  if (typeof left === "boolean") throw new Error("nothing of it is kept");
  expect(left).toMatchObject({ report: { kind: "failed" }, error: { message: "invalid input syntax" } });
  isMended = true;
  made.push(left.report);
  await made.idle(5_000);
  expect([batches.at(-1), made.knows(poison)]).toEqual([["poison!"], false]);
});

test("what could not be settled beside others is tried again, and what they have handed on begins meanwhile (IDM-4, RUN-4)", async () => {
  const handedOn: string[] = [];
  const settled: string[] = [];
  let uncertain = 0;
  const tried: string[][] = [];
  const told = { settled: false };
  const made = new SettleLoop({
    settle: async (batch) => {
      tried.push(batch.map(({ key }) => key));
      const left = tried.length === 1 ? { reports: batch.filter(({ key }) => key === "b"), error: connectionError() } : null;
      const next = { key: "next" } as ClaimedNode;
      const telling = Promise.resolve().then(() => {
        told.settled = true;
      });
      return { handedOn: left ? [next] : [], left, told: telling };
    },
    reserve: () => ({ slots: 1, release: () => undefined }),
    onSettled: (reports) => void settled.push(...reports.map(({ key }) => key)),
    onHandedOn: (nodes) => void handedOn.push(...nodes.map(({ key }) => `${key} after ${tried.length}`)),
    onUncertain: () => void uncertain++,
    log: quiet,
  });
  for (const key of ["a", "b", "c"]) made.push(report(key));
  await made.idle(5_000);
  expect(tried).toEqual([["a", "b", "c"], ["b"]]);
  expect(settled).toEqual(["a", "c", "b"]);
  expect(handedOn).toEqual(["next after 1"]);
  expect({ uncertain, told: told.settled }).toEqual({ uncertain: 1, told: true });
});
