import { desc, eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { audit } from "@/db/schema/platform";
import { BASE, callProcedure, type TestWorld, testWorld } from "@/db/testing/api";
import { makeProject, makeUser, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { MUTATIONS, QUERIES, type Scene } from "@/db/testing/mutations";
import { PERMISSIONS, ROLES, type Role, roleAllows } from "@/server/domain/access/roles";
import type { Ctx } from "@/server/engine/context";
import { handleTrpc } from "./http/trpc";
import { appRouter } from "./root";
import type { Access } from "./trpc";

let database: TestDatabase;
let ctx: Ctx;
let world: TestWorld;
let project: { id: string; key: string };
const people = new Map<Caller, string>();

type Caller = Role | "administrator" | "stranger";
const CALLERS: readonly Caller[] = [...ROLES, "administrator", "stranger"];

beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db);
  world = testWorld(ctx);
  project = await makeProject(ctx);
  for (const role of [...ROLES, "administrator"] as const) people.set(role, (await makeUser(ctx, project, role)).id);
  people.set("stranger", (await makeUser(ctx, await makeProject(ctx), "admin")).id);
});
afterAll(() => database.close());

interface Procedure {
  readonly path: string;
  readonly type: "query" | "mutation" | "subscription";
  readonly access: Access;
}

const procedures: readonly Procedure[] = Object.entries(appRouter._def.procedures as unknown as Record<string, unknown>).map(
  ([path, procedure]) => {
    const { type, meta } = (procedure as { _def: { type: Procedure["type"]; meta?: { access?: Access } } })._def;
    return { path, type, access: meta?.access as Access };
  },
);
const mutations = procedures.filter(({ type }) => type === "mutation");
const queries = procedures.filter(({ type }) => type === "query");

const idOf = (caller: Caller): string => people.get(caller) ?? "";
const scene = (caller: Caller): Scene => ({ ctx, project, callerId: idOf(caller) });

/** What the declared access means for one caller. */
function expected(access: Access, caller: Caller): "allowed" | "forbidden" | "not_found" {
  if (access === "anyone" || access === "signed-in") return "allowed";
  if (access === "administrator") return caller === "administrator" ? "allowed" : "forbidden";
  if (caller === "administrator") return "allowed";
  if (caller === "stranger") return "not_found";
  return roleAllows(caller, access) ? "allowed" : "forbidden";
}

/** Of the whole database: a row too many anywhere is one too many. */
const auditCount = (): Promise<number> => ctx.db.$count(audit);

describe("every procedure", () => {
  it("declares who may call it, with a known permission (AUD-1)", () => {
    const known: readonly string[] = [...Object.keys(PERMISSIONS), "signed-in", "administrator", "anyone"];
    expect(procedures.length).toBeGreaterThan(50);
    for (const { path, access } of procedures) expect(known, path).toContain(access);
  });

  it("stands in the cases that this file walks, and no case is left over (B102)", () => {
    expect(Object.keys(MUTATIONS).sort()).toEqual(mutations.map(({ path }) => path).sort());
    expect(Object.keys(QUERIES).sort()).toEqual(queries.map(({ path }) => path).sort());
    expect(procedures.filter(({ type }) => type === "subscription").map(({ path }) => path)).toEqual(["live.changes"]);
  });

  it("that changes something needs more than a viewer's role (AUD-1)", () => {
    for (const { path, access } of mutations) {
      if (access === "signed-in") expect(path).toBe("session.changePassword");
      else expect(expected(access, "viewer"), path).not.toBe("allowed");
    }
  });
});

describe("a mutation at the raw API", () => {
  const rows = mutations.flatMap(({ path, access }) => CALLERS.map((caller) => ({ path, access, caller, want: expected(access, caller) })));

  it.each(rows)(
    "$path: $caller is $want, and leaves exactly one audit row or none (AUD-1, AUD-2, B102)",
    async ({ path, caller, want }) => {
      const input = await MUTATIONS[path]?.(scene(caller));
      const before = await auditCount();
      const answer = await callProcedure(world, path, input, { as: idOf(caller) });
      const code = answer.failure?.code ?? "allowed";
      expect({ code, message: answer.message }).toEqual({ code: want, message: want === "allowed" ? "" : answer.message });
      expect(await auditCount()).toBe(before + (want === "allowed" ? 1 : 0));
      expect(world.bugs).toEqual([]);
      if (want !== "allowed") return;
      const [row] = await ctx.db
        .select()
        .from(audit)
        .where(eq(audit.actorId, idOf(caller)))
        .orderBy(desc(audit.at), desc(audit.seq))
        .limit(1);
      expect(row).toMatchObject({ actorKind: "user", actorId: idOf(caller), verb: expect.stringMatching(/^[a-z]+\.[a-zA-Z]+$/) });
      expect(row?.source).toMatchObject({ via: "console" });
    },
  );

  it.each(mutations)("$path: nobody is 401, and by GET it is 405 (AUD-1, B97)", async ({ path }) => {
    const answer = await callProcedure(world, path, {});
    expect([answer.status, answer.failure?.code]).toEqual([401, "unauthenticated"]);
    const byGet = new Request(`${BASE}/api/trpc/${path}?input=%7B%7D`, { headers: { cookie: `as=${idOf("administrator")}` } });
    expect((await handleTrpc(byGet, world)).status).toBe(405);
  });
});

describe("a query at the raw API", () => {
  const rows = queries.flatMap(({ path, access }) => CALLERS.map((caller) => ({ path, access, caller, want: expected(access, caller) })));

  it.each(rows)("$path: $caller is $want (AUD-1)", async ({ path, caller, want }) => {
    const input = await QUERIES[path]?.(scene(caller));
    const answer = await callProcedure(world, path, input, { as: idOf(caller) });
    expect({ code: answer.failure?.code ?? "allowed", message: answer.message }).toEqual({
      code: want,
      message: want === "allowed" ? "" : answer.message,
    });
    expect(world.bugs).toEqual([]);
  });

  it.each(queries.filter(({ access }) => access !== "anyone"))("$path: nobody is 401 (AUD-1)", async ({ path }) => {
    expect((await callProcedure(world, path, {})).status).toBe(401);
  });
});
