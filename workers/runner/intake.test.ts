import { expect, test } from "vitest";
import { testCtx } from "@/db/testing/ctx";
import { until } from "@/db/testing/wait";
import { memoryDoorbell } from "@/server/adapters/doorbell-memory";
import type { WorkerLease } from "@/server/domain/run/work";
import type { Ctx } from "@/server/engine/context";
import { Intake } from "./intake";
import { Slots } from "./slots";

const LEASE: WorkerLease = { id: "w", bootId: "b", epoch: 1 };

/** A worker's intake whose claims are counted and find nothing. */
async function openIntake(ctx: Ctx) {
  const state: { lease: WorkerLease | null; claims: number } = { lease: LEASE, claims: 0 };
  const intake = new Intake({
    ctx,
    ask: async () => {
      state.claims++;
      return [] as never;
    },
    groups: ["default"],
    slots: new Slots(
      2,
      () => 0,
      () => 0,
    ),
    lease: () => state.lease,
    onClaimed: () => undefined,
    onUncertain: () => undefined,
  });
  await intake.listen();
  return { intake, state };
}

test("a worker that takes nothing passes a ring on, and answers rings again when it takes nodes again (RUN-4, WRK-4)", async () => {
  const base = testCtx({} as Ctx["db"]);
  const ctx = { ...base, ports: { ...base.ports, doorbell: memoryDoorbell() } };
  const [draining, idle] = [await openIntake(ctx), await openIntake(ctx)];
  draining.state.lease = null;
  for (let rings = 1; rings <= 4; rings++) {
    await ctx.ports.doorbell.ring(["default"]);
    await until("the idle one looks", async () => idle.state.claims === rings, 2_000);
  }
  expect(draining.state.claims).toBe(0);
  draining.state.lease = LEASE;
  idle.state.lease = null;
  await draining.intake.pull();
  expect(draining.state.claims).toBe(1);
  await ctx.ports.doorbell.ring(["default"]);
  await until("it hears the ring", async () => draining.state.claims === 2, 2_000);
  await Promise.all([draining.intake.close(), idle.intake.close()]);
});

test("a ring that no worker can take waits in the doorbell, and does not go round and round (RUN-4)", async () => {
  const base = testCtx({} as Ctx["db"]);
  const bell = memoryDoorbell();
  let rung = 0;
  const ring = (groups: readonly string[]) => {
    rung++;
    return bell.ring(groups);
  };
  const doorbell = { ...bell, ring };
  const { intake, state } = await openIntake({ ...base, ports: { ...base.ports, doorbell } });
  state.lease = null;
  await doorbell.ring(["default"]);
  await until("it was passed on", async () => rung === 2, 2_000);
  await until("it waits", async () => (await bell.depth("default")) === 1, 2_000);
  expect(rung).toBe(2);
  state.lease = LEASE;
  await intake.pull();
  await until("it is answered", async () => (await bell.depth("default")) === 0, 2_000);
  await intake.close();
});

test("a worker before a backlog rings on at once and then at most each 25 ms, however fast it claims (RUN-4)", async () => {
  const base = testCtx({} as Ctx["db"]);
  let nowMs = 0;
  let rung = 0;
  let running = 0;
  const doorbell = { ...memoryDoorbell(), ring: async () => void rung++ };
  const pull = async () => {
    running = 0;
    await intake.pull();
  };
  const intake = new Intake({
    ctx: { ...base, clock: { ...base.clock, monotonicMs: () => nowMs }, ports: { ...base.ports, doorbell } },
    // As many as were asked for: more may be left.
    ask: async () => [{}, {}] as never,
    groups: ["default"],
    slots: new Slots(
      2,
      () => running,
      () => nowMs,
    ),
    lease: () => LEASE,
    onClaimed: (nodes) => {
      running += nodes.length;
    },
    onUncertain: () => undefined,
  });
  for (let claims = 0; claims < 5; claims++) await pull();
  expect(rung).toBe(1);
  nowMs = 24;
  await pull();
  expect(rung).toBe(1);
  nowMs = 25;
  for (let claims = 0; claims < 5; claims++) await pull();
  expect(rung).toBe(2);
});

test("what a claim has brought starts before the next one is answered, so that a backlog is not taken in one gulp (RUN-4)", async () => {
  const base = testCtx({} as Ctx["db"]);
  const seen: string[] = [];
  const answers = [50, 50, 20];
  let running = 0;
  const intake = new Intake({
    ctx: { ...base, ports: { ...base.ports, doorbell: { ...memoryDoorbell(), ring: async () => undefined } } },
    ask: async () => Array.from({ length: answers.shift() ?? 0 }, () => ({})) as never,
    groups: ["default"],
    slots: new Slots(
      120,
      () => running,
      () => 0,
    ),
    lease: () => LEASE,
    onClaimed: (nodes) => {
      running += nodes.length;
      seen.push(`${nodes.length} of ${running}`);
    },
    onUncertain: () => undefined,
  });
  await intake.pull();
  expect(seen).toEqual(["50 of 50", "50 of 100", "20 of 120"]);
});
