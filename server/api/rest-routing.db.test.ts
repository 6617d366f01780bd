import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rest, type TestWorld, testWorld } from "@/db/testing/api";
import { makeProject, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { node } from "@/db/testing/plans";
import { drive, makePipeline, makeWorker, startRun, statesOf } from "@/db/testing/runs";
import { createToken } from "@/server/engine/access/create-token";
import type { Ctx } from "@/server/engine/context";

let database: TestDatabase;
let ctx: Ctx;
let world: TestWorld;
let project: { id: string; key: string };
const tokens = new Map<string, string>();
beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db);
  world = testWorld(ctx);
  project = await makeProject(ctx);
  for (const role of ["viewer", "operator", "editor"] as const) {
    tokens.set(role, (await createToken(ctx, { projectId: project.id, name: role, role })).token);
  }
});
afterAll(() => database.close());

const call = (who: string, method: string, path: string, body?: unknown) =>
  rest(world, method, `/projects/${project.key}${path}`, body, { token: tokens.get(who) ?? "" });

const CODE = "TEST_STEP_BROKEN_500";
const rules = [{ name: "broken", pattern: "*_BROKEN_*", action: "review", label: { key: "tier", value: "gold" } }];

async function failing(): Promise<string> {
  const group = `g-${ctx.ids.randomHex(4)}`;
  const runId = await startRun(ctx, await makePipeline(ctx, project, [node("a", [], { group })]));
  await drive(ctx, await makeWorker(ctx, [group]), { groups: [group], end: () => ({ kind: "failed", code: CODE }) });
  return runId;
}

describe("routing over REST", () => {
  it("is read, simulated, replaced and looked back on by a script; a stale or unreadable table is refused (EXC-5, ECO-1)", async () => {
    expect((await call("viewer", "GET", "/routing")).json).toMatchObject({ version: 0, savedBy: null });
    expect(await call("operator", "PUT", "/routing", { version: 0, rules })).toMatchObject({ status: 403 });
    expect(await call("editor", "PUT", "/routing", { version: 0, rules, note: "tried" })).toMatchObject({
      status: 200,
      json: { version: 1 },
    });
    expect(await call("editor", "PUT", "/routing", { version: 0, rules })).toMatchObject({ status: 409, json: { code: "stale" } });
    const wrong = await call("editor", "PUT", "/routing", { version: 1, rules: [{ ...rules[0], pattern: "timeout" }] });
    expect(wrong).toMatchObject({ status: 400, json: { issues: [{ path: "rules[0].pattern" }] } });
    expect((await call("viewer", "GET", "/routing")).json).toMatchObject({ version: 1, rules, note: "tried" });
    expect((await call("viewer", "GET", "/routing/versions")).json).toMatchObject({
      items: [{ version: 1 }, { version: 0 }],
      nextCursor: null,
    });
    expect(await call("viewer", "GET", "/routing/versions?cursor=x")).toMatchObject({ status: 400 });
    const answer = await call("viewer", "POST", "/routing/simulate", { rules: [] });
    expect(answer).toMatchObject({ status: 200, json: { total: 0, isPartial: false, matched: [], rerouted: [] } });
  });
});

describe("the review queue over REST", () => {
  it("is read and decided on by a script, each node by itself (RUN-3, ECO-1)", async () => {
    const { version } = (await call("viewer", "GET", "/routing")).json as { version: number };
    await call("editor", "PUT", "/routing", { version, rules: [{ name: "all", pattern: "*", action: "review" }] });
    const [first, second] = [await failing(), await failing()];
    const { items } = (await call("viewer", "GET", `/reviews?code=${CODE}&limit=1`)).json as { items: { runId: string }[] };
    expect(items).toMatchObject([{ runId: first, node: "a", generation: 1, cause: "rule", rule: { name: "all" }, error: { code: CODE } }]);
    const decide = (who: string, generation: number) =>
      call(who, "POST", "/reviews/decide", {
        action: "skip",
        reason: "seen",
        items: [first, second].map((runId, index) => ({ runId, node: "a", generation: index === 0 ? 1 : generation })),
      });
    expect(await decide("viewer", 1)).toMatchObject({ status: 403 });
    expect((await decide("operator", 7)).json).toMatchObject({ items: [{ runId: first, refused: null }, { refused: { code: "stale" } }] });
    expect([await statesOf(ctx, first), await statesOf(ctx, second)]).toEqual([{ a: "SKIPPED" }, { a: "MANUAL_REVIEW" }]);
    expect(await call("operator", "GET", "/reviews?cursor=nowhere")).toMatchObject({ status: 400 });
  });
});
