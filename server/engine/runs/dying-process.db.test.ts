import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CrashingRun, type Mortal, openMortal } from "@/db/testing/crashing-run";
import { makeProject, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { type Death, type Failpoint, openFailpoint } from "@/db/testing/failpoint";
import { brokenInvariants } from "@/db/testing/invariants";
import { node } from "@/db/testing/plans";
import { drive, makeFence, makePipeline, reportOf, runOf, startRun } from "@/db/testing/runs";
import type { Ctx } from "@/server/engine/context";
import { claimReady } from "./claim";
import { endOverdueDeadlines } from "./end-overdue-deadlines";
import { recoverLostWorkers } from "./recover-lost-workers";
import { settle } from "./settle";

let database: TestDatabase;
let ctx: Ctx;
let point: Failpoint;
let mortal: Mortal;
let project: { id: string };
beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db);
  project = await makeProject(ctx);
  point = await openFailpoint(database.url);
  mortal = openMortal(point);
});
afterAll(async () => {
  await mortal.close();
  await point.close();
  await database.close();
});

/** A diamond of which `a` is claimed and will end, beside the model of it. */
async function begun(): Promise<CrashingRun> {
  const group = `g-${ctx.ids.randomHex(4)}`;
  const nodes = [node("a", [], { group }), node("b", ["a"], { group }), node("c", ["a"], { group }), node("d", ["b", "c"], { group })];
  const pipeline = await makePipeline(ctx, project, nodes);
  const run = await CrashingRun.open(ctx, mortal, pipeline, group);
  run.runId = await startRun(ctx, pipeline);
  run.tell((naive) => naive.activate());
  const by = await run.hand();
  const claimed = await claimReady(ctx, { worker: by.lease, groups: [group], limit: 1 });
  run.held.push(...claimed.map((each) => ({ claimed: each, by })));
  await run.adoptStarts();
  return run;
}

/** Plays a scene again and again, each time with a death one statement later, until none comes any more. */
async function atEveryStatement(scene: (death: Death) => Promise<boolean>): Promise<number> {
  for (let statement = 1; ; statement++) {
    const died = [await scene({ statement, side: "before" }), await scene({ statement, side: "after" })];
    if (!died.includes(true)) return statement - 1;
  }
}

describe("a process that dies at any statement of what it does", () => {
  it.each([
    ["by what its worker remembers", true],
    ["under locks", false],
  ])(
    "leaves a settle %s wholly done or not at all, and a repeat of it is applied once (IDM-2, IDM-4, RUN-7)",
    async (_how, remembers) => {
      const done: boolean[] = [];
      const statements = await atEveryStatement(async (death) => {
        const run = await begun();
        const [held] = run.held;
        if (!held) throw new Error("nothing was ready");
        const { lease, memory } = held.by;
        const input = { worker: lease, reports: [reportOf(held.claimed)], free: { [run.group]: 2 }, ...(remembers ? { memory } : {}) };
        const settled = await run.act(death, (dying) => settle(dying, input));
        if (settled) return false;
        done.push(await run.tellIfDone([(naive) => naive.succeeded("a", held.claimed.token)]));
        const again = await settle(ctx, input);
        expect(again.settlements.map(({ result }) => result)).toEqual(["applied"]);
        // What the dead process took without telling anybody goes to another, as after its lease has run out.
        await run.loseHand();
        await recoverLostWorkers(ctx, await makeFence(ctx));
        await drive(ctx, (await run.hand()).lease, { groups: [run.group] });
        expect((await runOf(ctx, run.runId)).state).toBe("SUCCESS");
        expect(await brokenInvariants(database.sql, { runIds: [run.runId] })).toEqual([]);
        return true;
      });
      expect(statements).toBeGreaterThan(0);
      expect(new Set(done)).toEqual(new Set([true, false]));
    },
    60_000,
  );

  it("is the fault of no node that its sweep has found: the next sweep ends it, and no dead letter is kept (RUN-7, EXC-2)", async () => {
    const fence = await makeFence(ctx);
    const statements = await atEveryStatement(async (death) => {
      const run = await begun();
      await run.lapse("deadline", "a");
      const swept = await run.act(death, (dying) => endOverdueDeadlines(dying, fence));
      await endOverdueDeadlines(ctx, fence);
      expect((await runOf(ctx, run.runId)).state).toBe("PAUSED");
      expect(await brokenInvariants(database.sql, { runIds: [run.runId] })).toEqual([]);
      return swept === null;
    });
    expect(statements).toBeGreaterThan(3);
    expect([...(await database.sql`select message from dead_letters where cause = 'undecidable'`)]).toEqual([]);
    expect([...(await database.sql`select message from platform_events`)]).toEqual([]);
  }, 60_000);
});
