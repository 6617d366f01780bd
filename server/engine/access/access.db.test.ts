import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accounts, memberships, oneTimeLinks, serviceTokens, sessions } from "@/db/schema/access";
import { actingAs, makeProject, makeUser, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { listAudit } from "@/server/engine/audit/list-audit";
import type { Ctx } from "@/server/engine/context";
import { createProject } from "@/server/engine/projects/create-project";
import { listProjects } from "@/server/engine/projects/list-projects";
import { loadProject } from "@/server/engine/projects/load-project";
import { addMember } from "./add-member";
import { becomeFirstAdmin } from "./become-first-admin";
import { createFirstAdminLink } from "./create-first-admin-link";
import { createToken } from "./create-token";
import { listMembers } from "./list-members";
import { listTokens } from "./list-tokens";
import { verifyPassword } from "./password";
import { findTokenPrincipal, findUserPrincipal } from "./principals";
import { removeMember } from "./remove-member";
import { revokeToken } from "./revoke-token";
import { setMemberRole } from "./set-member-role";

const PASSWORD = "a long enough password";
const MINUTE_MS = 60_000;

let database: TestDatabase;
let ctx: Ctx;
let clockMs = Date.UTC(2026, 2, 1, 9);
beforeAll(async () => {
  database = await openTestDatabase();
  await database.sql`select ensure_partitions('2026-03-01T00:00:00Z', 3)`;
  ctx = testCtx(database.db, { now: () => new Date(clockMs) });
});
afterAll(() => database.close());

const tokenOf = (url: string) => new URL(url).searchParams.get("token") ?? "";

describe("the first administrator", () => {
  it("comes in by a link that works once, for 15 minutes, and only while there is none (AUD-1)", async () => {
    const person = { name: "Ada", email: "Ada@Example.org ", password: PASSWORD };
    const anonymous = actingAs(ctx, { kind: "anonymous" });
    const late = await createFirstAdminLink(ctx, { baseUrl: "http://127.0.0.1:3000" });
    clockMs += 16 * MINUTE_MS;
    await expect(becomeFirstAdmin(anonymous, { ...person, token: tokenOf(late.url) })).rejects.toMatchObject({ code: "not_found" });

    const older = await createFirstAdminLink(ctx, { baseUrl: "http://127.0.0.1:3000" });
    const link = await createFirstAdminLink(ctx, { baseUrl: "http://127.0.0.1:3000" });
    expect(link.url).toMatch(/^http:\/\/127\.0\.0\.1:3000\/first-admin\?token=[0-9a-f]{64}$/);
    await expect(becomeFirstAdmin(anonymous, { ...person, token: tokenOf(older.url) })).rejects.toMatchObject({ code: "not_found" });
    const stored = await ctx.db.select().from(oneTimeLinks);
    expect(JSON.stringify(stored)).not.toContain(tokenOf(link.url));

    const tries = await Promise.allSettled([1, 2, 3].map(() => becomeFirstAdmin(anonymous, { ...person, token: tokenOf(link.url) })));
    expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await expect(createFirstAdminLink(ctx, { baseUrl: "http://x" })).rejects.toMatchObject({ code: "conflict" });

    const { items } = await listAudit(ctx, { projectId: null, verb: "access.firstAdmin" });
    expect(items).toMatchObject([{ actor: { kind: "user", label: "Ada" }, after: { email: "ada@example.org" } }]);
    const [account] = await ctx.db.select().from(accounts);
    expect(account?.password).not.toContain(PASSWORD);
    expect(await verifyPassword(account?.password ?? "", PASSWORD)).toBe(true);
    expect(await verifyPassword(account?.password ?? "", `${PASSWORD}!`)).toBe(false);
  });
});

describe("projects", () => {
  it("are made by an administrator alone and listed with one's role (AUD-1)", async () => {
    const boss = actingAs(ctx, await makeUser(ctx, null, "administrator"));
    const made = await createProject(boss, { key: "shop", title: "Shop 商店" });
    await expect(createProject(boss, { key: "shop", title: "Again" })).rejects.toMatchObject({ code: "conflict" });
    await expect(createProject(boss, { key: "Not A Key", title: "" })).rejects.toMatchObject({
      code: "invalid_input",
      issues: [{ path: "key" }, { path: "title" }],
    });
    const viewer = actingAs(ctx, await makeUser(ctx, made, "viewer"));
    await expect(createProject(viewer, { key: "mine", title: "Mine" })).rejects.toMatchObject({ code: "forbidden" });
    expect(await listProjects(viewer)).toEqual([{ id: made.id, key: "shop", title: "Shop 商店", role: "viewer" }]);
    expect((await listProjects(boss)).find(({ key }) => key === "shop")).toMatchObject({ role: "admin" });
    const stranger = actingAs(ctx, await makeUser(ctx, await makeProject(ctx), "admin"));
    await expect(loadProject(stranger, "shop", "project.read")).rejects.toMatchObject({ code: "not_found" });
    await expect(loadProject(viewer, "shop", "run.trigger")).rejects.toMatchObject({ code: "forbidden" });
  });
});

describe("members", () => {
  it("get a role, another role, and none: each holds from the next request on (AUD-1)", async () => {
    const project = await makeProject(ctx);
    const admin = actingAs(ctx, await makeUser(ctx, project, "admin"));
    const { userId } = await addMember(admin, {
      projectId: project.id,
      email: "lin@example.org",
      name: "Lin 林",
      role: "viewer",
      initialPassword: PASSWORD,
    });
    expect(await findUserPrincipal(ctx, userId)).toMatchObject({ label: "Lin 林", roles: new Map([[project.id, "viewer"]]) });
    await setMemberRole(admin, { projectId: project.id, userId, role: "operator" });
    expect(await findUserPrincipal(ctx, userId)).toMatchObject({ roles: new Map([[project.id, "operator"]]) });
    expect((await listMembers(admin, { projectId: project.id })).map(({ name, role }) => [name, role])).toContainEqual([
      "Lin 林",
      "operator",
    ]);

    await ctx.db
      .insert(sessions)
      .values({ id: ctx.ids.uuid(), token: ctx.ids.randomHex(16), userId, expiresAt: new Date(clockMs + MINUTE_MS) });
    await removeMember(admin, { projectId: project.id, userId });
    expect(await findUserPrincipal(ctx, userId)).toMatchObject({ roles: new Map() });
    expect(await ctx.db.select().from(sessions).where(eq(sessions.userId, userId))).toEqual([]);
    const { items } = await listAudit(admin, { projectId: project.id, verb: "member" });
    expect(items.map(({ verb, before, after }) => ({ verb, before, after }))).toMatchObject([
      { verb: "member.remove", before: { role: "operator" } },
      { verb: "member.setRole", before: { role: "viewer" }, after: { role: "operator" } },
      { verb: "member.add", after: { role: "viewer", newAccount: true } },
    ]);
    expect(JSON.stringify(items)).not.toContain(PASSWORD);
  });

  it("a new person needs a name and a password of 12 characters; a known one needs neither (AUD-1, SEC-3)", async () => {
    const [project, other] = [await makeProject(ctx), await makeProject(ctx)];
    const admin = actingAs(ctx, await makeUser(ctx, project, "admin"));
    const add = (more: object) => addMember(admin, { projectId: project.id, email: "new@example.org", role: "editor", ...more });
    await expect(add({})).rejects.toMatchObject({ code: "invalid_input", issues: [{ path: "name" }, { path: "initialPassword" }] });
    await expect(add({ name: "New", initialPassword: "short" })).rejects.toMatchObject({
      issues: [{ path: "initialPassword", code: "too_short" }],
    });
    await expect(add({ email: "no mail" })).rejects.toMatchObject({ issues: [{ path: "email" }] });
    await add({ name: "New", initialPassword: PASSWORD });
    await expect(add({})).rejects.toMatchObject({ code: "conflict" });
    const otherAdmin = actingAs(ctx, await makeUser(ctx, other, "admin"));
    await addMember(otherAdmin, { projectId: other.id, email: "NEW@example.org", role: "viewer" });
    expect(await ctx.db.select().from(memberships).where(eq(memberships.projectId, other.id))).toHaveLength(2);
  });

  it("refuses a viewer, an operator and an editor, and names what is needed (AUD-1)", async () => {
    const project = await makeProject(ctx);
    for (const role of ["viewer", "operator", "editor"] as const) {
      const person = actingAs(ctx, await makeUser(ctx, project, role));
      await expect(setMemberRole(person, { projectId: project.id, userId: "x", role: "admin" })).rejects.toMatchObject({
        code: "forbidden",
        message: expect.stringContaining("member.manage needs admin"),
      });
    }
  });
});

describe("service tokens", () => {
  it("stand for one role in one project until they expire or are revoked, and are kept as a hash (AUD-1)", async () => {
    const [project, other] = [await makeProject(ctx), await makeProject(ctx)];
    const admin = actingAs(ctx, await makeUser(ctx, project, "admin"));
    const made = await createToken(admin, { projectId: project.id, name: "CI", role: "operator", days: 1 });
    expect(made.token).toMatch(/^apollo_[0-9a-f]{64}$/);
    expect(JSON.stringify(await ctx.db.select().from(serviceTokens))).not.toContain(made.token.slice(7));

    const principal = await findTokenPrincipal(ctx, made.token);
    expect(principal).toMatchObject({ kind: "token", projectId: project.id, role: "operator", label: "CI" });
    expect(await listProjects({ ...ctx, principal: principal ?? { kind: "anonymous" } })).toMatchObject([
      { id: project.id, role: "operator" },
    ]);
    await expect(loadProject({ ...ctx, principal: principal ?? { kind: "anonymous" } }, other.key, "project.read")).rejects.toMatchObject({
      code: "not_found",
    });
    expect((await listTokens(admin, { projectId: project.id }))[0]).toMatchObject({ state: "valid", lastUsedAt: new Date(clockMs) });

    for (const wrong of ["", "apollo_", `${made.token}0`, made.token.slice(0, -1), made.token.toUpperCase(), ` ${made.token}`]) {
      expect(await findTokenPrincipal(ctx, wrong)).toBeNull();
    }
    const expiring = await createToken(admin, { projectId: project.id, name: "short", role: "viewer", days: 1 });
    clockMs += 24 * 60 * MINUTE_MS + 1;
    expect(await findTokenPrincipal(ctx, expiring.token)).toBeNull();
    clockMs -= 24 * 60 * MINUTE_MS + 1;
    await revokeToken(admin, { projectId: project.id, tokenId: made.id });
    expect(await findTokenPrincipal(ctx, made.token)).toBeNull();
    await expect(revokeToken(admin, { projectId: project.id, tokenId: made.id })).rejects.toMatchObject({ code: "not_found" });
    const { items } = await listAudit(admin, { projectId: project.id, verb: "token" });
    expect(items.map(({ verb }) => verb)).toEqual(["token.revoke", "token.create", "token.create"]);
    expect(JSON.stringify(items)).not.toContain(made.token);
  });

  it("of another project cannot be revoked from here (AUD-1)", async () => {
    const [project, other] = [await makeProject(ctx), await makeProject(ctx)];
    const made = await createToken(ctx, { projectId: other.id, name: "theirs", role: "viewer" });
    const admin = actingAs(ctx, await makeUser(ctx, project, "admin"));
    await expect(revokeToken(admin, { projectId: project.id, tokenId: made.id })).rejects.toMatchObject({ code: "not_found" });
    expect(await findTokenPrincipal(ctx, made.token)).not.toBeNull();
  });
});
