import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeProject, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { node } from "@/db/testing/plans";
import { drive, eventsOf, makePipeline, makeWorker, reportOf, runOf, startRun, statesOf } from "@/db/testing/runs";
import type { ClaimedNode } from "@/server/domain/run/work";
import type { Ctx } from "@/server/engine/context";
import { claimReady } from "./claim";
import { RunMemory } from "./run-memory";
import { settle } from "./settle";

let database: TestDatabase;
let ctx: Ctx;
let project: { id: string };
beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db);
  project = await makeProject(ctx);
});
afterAll(() => database.close());

/** As many workers, each over a pool of its own and with a memory of its own, as other processes would be. */
const crew = (size: number, group: string) =>
  Promise.all(
    Array.from({ length: size }, async () => ({
      own: testCtx(database.another().db),
      lease: await makeWorker(ctx, [group]),
      memory: new RunMemory(() => performance.now()),
    })),
  );

const startsOf = async (runId: string, key: string) =>
  (await eventsOf(ctx, runId)).filter(({ nodeKey, event }) => nodeKey === key && (event === "ready" || event === "claimed"));

describe("a join", () => {
  it.each([
    ["by what they remember", true],
    ["under locks", false],
  ])("of 100 parents that end at once on several workers, settled %s, starts exactly once (B60, B61)", async (_how, remembers) => {
    const group = remembers ? "wide" : "wide-locked";
    const parents = Array.from({ length: 100 }, (_, n) => `p${n}`);
    const pipeline = await makePipeline(ctx, project, [
      ...parents.map((key) => node(key, [], { group })),
      node("join", parents, { group }),
    ]);
    const runId = await startRun(ctx, pipeline);
    const workers = await crew(4, group);
    const shares = await Promise.all(workers.map(({ own, lease }) => claimReady(own, { worker: lease, groups: [group], limit: 25 })));
    expect(shares.flat().length).toBe(100);
    await Promise.all(
      workers.flatMap(({ own, lease, memory }, index) =>
        // Each parent in a commit of its own: a hundred transactions that race for one join.
        (shares[index] ?? []).map((claimed) =>
          settle(own, { worker: lease, reports: [reportOf(claimed)], free: {}, ...(remembers ? { memory } : {}) }),
        ),
      ),
    );
    expect((await statesOf(ctx, runId)).join).toBe("QUEUED");
    expect((await startsOf(runId, "join")).map(({ event }) => event)).toEqual(["ready"]);
    expect(await drive(ctx, await makeWorker(ctx, [group]), { groups: [group] })).toEqual(["join"]);
    expect((await runOf(ctx, runId)).state).toBe("SUCCESS");
  });

  it("starts exactly once in each of many small races, handed on or not (B60, B61)", async () => {
    const group = "small";
    const pipeline = await makePipeline(ctx, project, [
      ...["a", "b", "c", "d"].map((key) => node(key, [], { group })),
      node("join", ["a", "b", "c", "d"], { group }),
    ]);
    const workers = await crew(4, group);
    for (let race = 0; race < 16; race++) {
      const runId = await startRun(ctx, pipeline);
      const taken: ClaimedNode[] = [];
      for (const { own, lease } of workers) taken.push(...(await claimReady(own, { worker: lease, groups: [group], limit: 1 })));
      const free: Record<string, number> = race % 2 === 0 ? { [group]: 1 } : {};
      const ends = await Promise.all(
        workers.flatMap(({ own, lease, memory }, index) => {
          const claimed = taken[index];
          const young = claimed ? { ...reportOf(claimed), stayedSince: new Date() } : null;
          const remembered = race % 4 < 2 ? { memory } : {};
          return young ? [settle(own, { worker: lease, reports: [young], free, ...remembered })] : [];
        }),
      );
      const handedOn = ends.flatMap((end) => end.handedOn);
      expect(handedOn.length).toBe(race % 2 === 0 ? 1 : 0);
      const owner = workers[ends.findIndex((end) => end.handedOn.length > 0)] ?? workers[0];
      const last =
        handedOn[0] ?? (owner ? (await claimReady(owner.own, { worker: owner.lease, groups: [group], limit: 4 }))[0] : undefined);
      if (!owner || !last) throw new Error("the join did not start");
      await settle(owner.own, { worker: owner.lease, reports: [reportOf(last)], free: {} });
      expect((await runOf(ctx, runId)).state).toBe("SUCCESS");
      expect((await eventsOf(ctx, runId)).filter(({ event, nodeKey }) => event === "ready" && nodeKey === "join").length).toBe(1);
    }
  });
});
