import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sessions, users } from "@/db/schema/access";
import { makeProject, makeUser, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { addMember } from "@/server/engine/access/add-member";
import { findSessionPrincipal } from "@/server/engine/access/find-session-principal";
import { loadCookieSecret } from "@/server/engine/access/load-cookie-secret";
import { ADDRESS_HEADER, type SignIn } from "@/server/engine/access/sign-in";
import { listAudit } from "@/server/engine/audit/list-audit";
import type { Ctx } from "@/server/engine/context";
import { openSignIn } from "./auth";

const BASE = "http://127.0.0.1:3000";
const PASSWORD = "a long enough password";

let database: TestDatabase;
let ctx: Ctx;
let signIn: SignIn;
let userId: string;
let email: string;
let address = 0;

beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db);
  signIn = openSignIn({ baseUrl: BASE, cookieSecret: "s".repeat(64), signInsPerMinute: 5, ctx });
});
beforeEach(async () => {
  const project = await makeProject(ctx);
  email = `${ctx.ids.randomHex(4)}@example.org`;
  address += 1;
  ({ userId } = await addMember(ctx, { projectId: project.id, email, name: "Ada", role: "viewer", initialPassword: PASSWORD }));
});
afterAll(() => database.close());

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  signIn.handle(
    new Request(`${BASE}/api/auth${path}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        origin: BASE,
        host: "127.0.0.1:3000",
        [ADDRESS_HEADER]: `10.0.0.${address}`,
        ...headers,
      },
      body: JSON.stringify(body),
    }),
  );
const cookieOf = (response: Response) => (response.headers.get("set-cookie") ?? "").split(";")[0] ?? "";

describe("signing in", () => {
  it("gives a session cookie that is HttpOnly and SameSite, and leaves one audit row (AUD-1, AUD-2)", async () => {
    const response = await post("/sign-in/email", { email, password: PASSWORD });
    expect(response.status).toBe(200);
    expect(response.headers.get("set-cookie")).toMatch(/^apollo\.session_token=[^;]+; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax$/);
    const session = await signIn.findSession(new Headers({ cookie: cookieOf(response) }));
    expect(session).toMatchObject({ userId });
    const { items } = await listAudit(ctx, { projectId: null, verb: "session.start", actor: userId });
    expect(items).toMatchObject([{ actor: { id: userId, label: "Ada" }, source: { ip: `10.0.0.${address}` } }]);
  });

  it("binds the cookie to the host where the console is served over https (AUD-1)", async () => {
    const secure = openSignIn({ baseUrl: "https://apollo.example.org", cookieSecret: "s".repeat(64), signInsPerMinute: 5, ctx });
    const response = await secure.signIn({ email, password: PASSWORD }, new Headers());
    expect(response.headers.get("set-cookie")).toMatch(
      /^__Host-apollo\.session_token=[^;]+; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    expect(await secure.findSession(new Headers({ cookie: cookieOf(response) }))).toMatchObject({ userId });
  });

  it("refuses a wrong password and an unknown account alike, and a cookie that was changed (AUD-1)", async () => {
    const wrong = await post("/sign-in/email", { email, password: `${PASSWORD}!` });
    const unknown = await post("/sign-in/email", { email: "nobody@example.org", password: PASSWORD });
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect(await wrong.text()).toBe(await unknown.text());
    const good = cookieOf(await post("/sign-in/email", { email, password: PASSWORD }));
    expect(await signIn.findSession(new Headers({ cookie: `${good.slice(0, -4)}AAAA` }))).toBeNull();
    expect(await signIn.findSession(new Headers())).toBeNull();
  });

  it("has no open sign-up and no way to change an account from outside (AUD-1)", async () => {
    for (const path of ["/sign-up/email", "/change-email", "/delete-user", "/update-user", "/reset-password", "/request-password-reset"]) {
      expect((await post(path, { email: "x@example.org", name: "X", password: PASSWORD, newPassword: PASSWORD, token: "x" })).status).toBe(
        404,
      );
    }
  });

  it("refuses another site's page that carries the cookie (B97)", async () => {
    const cookie = cookieOf(await post("/sign-in/email", { email, password: PASSWORD }));
    expect((await post("/sign-out", {}, { cookie, origin: "https://evil.example" })).status).toBe(403);
    expect(await signIn.findSession(new Headers({ cookie }))).not.toBeNull();
    expect((await post("/sign-out", {}, { cookie })).status).toBe(200);
    expect(await signIn.findSession(new Headers({ cookie }))).toBeNull();
  });

  it("bounds tries per address, and per account whatever address they come from (AUD-1)", async () => {
    const statuses = [];
    for (let n = 0; n < 7; n++) statuses.push((await post("/sign-in/email", { email: `x${n}@example.org`, password: PASSWORD })).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
    const forged = { "x-forwarded-for": "10.9.9.9", "x-real-ip": "10.9.9.9" };
    expect((await post("/sign-in/email", { email: "y@example.org", password: PASSWORD }, forged)).status).toBe(429);
    for (let n = 0; n < 10; n++) await post("/sign-in/email", { email, password: "wrong password" }, { [ADDRESS_HEADER]: `10.1.0.${n}` });
    expect((await post("/sign-in/email", { email, password: PASSWORD }, { [ADDRESS_HEADER]: "10.2.0.1" })).status).toBe(429);
  });
});

describe("a session", () => {
  it("ends after 30 idle minutes and after 12 hours in any case (AUD-1)", async () => {
    const cookie = new Headers({ cookie: cookieOf(await post("/sign-in/email", { email, password: PASSWORD })) });
    const session = await signIn.findSession(cookie);
    if (!session) throw new Error("no session");
    const at = (ms: number) => ({ ...ctx, clock: { ...ctx.clock, now: () => new Date(session.startedAt.getTime() + ms) } });
    expect(await findSessionPrincipal(at(29 * 60_000), session)).toMatchObject({ kind: "user", id: userId });
    expect((await signIn.findSession(cookie))?.seenAt).toEqual(new Date(session.startedAt.getTime() + 29 * 60_000));
    const seen = { ...session, seenAt: new Date(session.startedAt.getTime() + 12 * 3_600_000) };
    expect(await findSessionPrincipal(at(12 * 3_600_000 + 1), seen)).toBeNull();
    expect(await ctx.db.select().from(sessions).where(eq(sessions.id, session.id))).toEqual([]);
    expect(await findSessionPrincipal(at(31 * 60_000), session)).toBeNull();
  });

  it("of a disabled person stands for nobody at once (AUD-1)", async () => {
    const session = await signIn.findSession(
      new Headers({ cookie: cookieOf(await post("/sign-in/email", { email, password: PASSWORD })) }),
    );
    if (!session) throw new Error("no session");
    await ctx.db.update(users).set({ disabledAt: new Date() }).where(eq(users.id, userId));
    expect(await findSessionPrincipal(ctx, session)).toBeNull();
  });
});

describe("the cookie secret", () => {
  it("is made once, sealed, and the same for every web process (SEC-1)", async () => {
    const made = await Promise.all([1, 2, 3].map(() => loadCookieSecret(ctx)));
    expect(new Set(made).size).toBe(1);
    expect(made[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(await database.sql`select 1 from settings where value::text like ${`%${made[0]}%`}`).toHaveLength(0);
    expect(await makeUser(ctx, null, "administrator")).toMatchObject({ isAdmin: true });
  });
});
