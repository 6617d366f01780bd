import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pipelines } from "@/db/schema/pipelines";
import { leases } from "@/db/schema/platform";
import { BASE, type TestWorld, testWorld } from "@/db/testing/api";
import { actingAs, makeProject, makeUser, recordingPorts, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { MUTATIONS } from "@/db/testing/mutations";
import { until } from "@/db/testing/wait";
import { openSignIn } from "@/server/adapters/auth";
import { createFirstAdminLink } from "@/server/engine/access/create-first-admin-link";
import type { Ctx } from "@/server/engine/context";
import { handleAuth } from "./auth";
import { handleFirstAdmin } from "./first-admin";
import { handleHealth } from "./health";
import { handleTrpc } from "./trpc";

let database: TestDatabase;
let ctx: Ctx;
let world: TestWorld;
let project: { id: string; key: string };
let boss: string;

const ports = recordingPorts();
beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db, { ports });
  project = await makeProject(ctx);
});
afterAll(() => database.close());

const HOST = "127.0.0.1:3000";
const own = { origin: BASE, host: HOST, "content-type": "application/json" };

describe("the first administrator's door", () => {
  it("opens once: the link makes an administrator who is signed in and reads the console (AUD-1)", async () => {
    const signIn = openSignIn({ baseUrl: BASE, cookieSecret: "s".repeat(64), signInsPerMinute: 100, ctx });
    world = testWorld(ctx, { signIn });
    const { url } = await createFirstAdminLink(ctx, { baseUrl: BASE });
    const body = JSON.stringify({
      token: new URL(url).searchParams.get("token"),
      name: "Ada",
      email: "ada@example.org",
      password: "a long enough password",
    });
    const post = (headers: Record<string, string> = own) =>
      handleFirstAdmin(new Request(`${BASE}/api/first-admin`, { method: "POST", headers, body }), world);
    expect((await post({ ...own, origin: "https://evil.example" })).status).toBe(403);
    const made = await post();
    expect(made.status).toBe(201);
    const cookie = (made.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    const me = await handleTrpc(new Request(`${BASE}/api/trpc/session.me`, { headers: { cookie, host: HOST } }), world);
    expect(await me.json()).toMatchObject({
      result: {
        data: { json: { user: { email: "ada@example.org", isAdministrator: true }, projects: [{ key: project.key, role: "admin" }] } },
      },
    });
    const again = await post();
    expect([again.status, again.headers.get("content-type")]).toEqual([409, "application/problem+json"]);
    const out = await handleAuth(
      new Request(`${BASE}/api/auth/sign-out`, { method: "POST", headers: { ...own, cookie }, body: "{}" }),
      world,
    );
    expect(out.status).toBe(200);
    const after = await handleTrpc(new Request(`${BASE}/api/trpc/session.me`, { headers: { cookie, host: HOST } }), world);
    expect(await after.json()).toMatchObject({ result: { data: { json: { user: null } } } });
  });

  it("offers two paths of the sign-in, by their exact names (AUD-1)", async () => {
    const ask = (method: string, path: string) =>
      handleAuth(new Request(`${BASE}/api/auth${path}`, { method, headers: own, ...(method === "POST" ? { body: "{}" } : {}) }), world);
    for (const [method, path] of [
      ["POST", "/sign-up/email"],
      ["POST", "/sign-in/email/"],
      ["POST", "/sign-in/email/x"],
      ["POST", "/x/sign-in/email"],
      ["POST", "/%73ign-up/email"],
      ["POST", "/SIGN-IN/email"],
      ["GET", "/sign-in/email"],
      ["GET", "/get-session"],
      ["GET", "/ok"],
    ] as const) {
      expect((await ask(method, path)).status, `${method} ${path}`).toBe(404);
    }
    expect((await ask("POST", "/sign-in/email")).status).toBe(400);
  });
});

describe("another site's page with the victim's cookie", () => {
  beforeAll(async () => {
    world = testWorld(ctx);
    boss = (await makeUser(ctx, project, "administrator")).id;
  });
  const send = (init: { method: string; body?: string; headers: Readonly<Record<string, string | undefined>> }, path: string) => {
    const headers = new Headers({ host: HOST, cookie: `as=${boss}` });
    for (const [name, value] of Object.entries(init.headers)) if (value !== undefined) headers.set(name, value);
    return handleTrpc(new Request(`${BASE}/api/trpc/${path}`, { ...init, headers }), world);
  };
  const input = () => JSON.stringify({ json: { projectId: project.id, name: "forged", title: "Forged" } });

  it.each([
    { name: "a form of text", headers: { "content-type": "text/plain", origin: "https://evil.example", "sec-fetch-site": "cross-site" } },
    { name: "a form, url-encoded", headers: { "content-type": "application/x-www-form-urlencoded", origin: "https://evil.example" } },
    { name: "a form of files", headers: { "content-type": "multipart/form-data; boundary=x", origin: "https://evil.example" } },
    {
      name: "JSON by fetch",
      headers: { "content-type": "application/json", origin: "https://evil.example", "sec-fetch-site": "cross-site" },
    },
    { name: "a sandboxed frame", headers: { "content-type": "application/json", origin: "null" } },
    {
      name: "a neighbour on another port",
      headers: { "content-type": "application/json", origin: "http://127.0.0.1:3001", "sec-fetch-site": "same-site" },
    },
    { name: "no origin at all", headers: { "content-type": "application/json" } },
    { name: "our origin in another type", headers: { "content-type": "text/plain", origin: BASE } },
    { name: "our origin as a prefix", headers: { "content-type": "application/json", origin: `${BASE}.evil.example` } },
  ])("$name is refused, alone and in a batch, and changes nothing (B97)", async ({ headers }) => {
    for (const path of ["pipelines.create", "pipelines.create,pipelines.create?batch=1"]) {
      const body = path.includes("batch") ? `{"0":${input()},"1":${input()}}` : input();
      const response = await send({ method: "POST", headers, body }, path);
      expect([400, 403]).toContain(response.status);
      expect(JSON.stringify(await response.json())).toMatch(/forbidden|invalid_input/);
    }
    expect(await ctx.db.select().from(pipelines).where(eq(pipelines.name, "forged"))).toEqual([]);
  });

  it("by GET no mutation of any name runs, however the method is named (B97)", async () => {
    for (const path of Object.keys(MUTATIONS)) {
      for (const extra of ["", "&_method=POST"]) {
        const response = await send(
          { method: "GET", headers: { "sec-fetch-site": "cross-site", "x-http-method-override": "POST" } },
          `${path}?input=${encodeURIComponent(input())}${extra}`,
        );
        expect([403, 405], path).toContain(response.status);
      }
    }
  });

  it("the console's own page is served under whatever name it is reached by (B97)", async () => {
    for (const host of ["127.0.0.1:3000", "localhost:3000", "apollo.example.org"]) {
      const request = new Request(`${BASE}/api/trpc/session.me?batch=1`, {
        method: "POST",
        body: "{}",
        headers: {
          host,
          origin: `https://${host}`,
          "sec-fetch-site": "same-origin",
          "content-type": "application/json",
          cookie: `as=${boss}`,
        },
      });
      expect((await handleTrpc(request, world)).status, host).toBe(200);
    }
  });
});

describe("the live stream", () => {
  const open = async (userId: string, signal: AbortSignal, stopping?: AbortSignal) => {
    const held = testWorld(ctx, stopping ? { stopping } : {});
    const query = `input=${encodeURIComponent(JSON.stringify({ json: { projectId: project.id } }))}`;
    const request = new Request(`${BASE}/api/trpc/live.changes?${query}`, {
      headers: { host: HOST, cookie: `as=${userId}`, accept: "text/event-stream" },
      signal,
    });
    const response = await handleTrpc(request, held);
    let text = "";
    const ended = (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) text += decoder.decode(chunk);
    })().catch(() => undefined);
    return { response, ended, count: (kind: string) => text.split(`"kind":"${kind}"`).length - 1, text: () => text };
  };

  it("says at once that it is open, then each change of its project and no other's, and ends with the request (OBS-5)", async () => {
    const viewer = await makeUser(ctx, project, "viewer");
    const leaving = new AbortController();
    const stream = await open(viewer.id, leaving.signal);
    expect(stream.response.headers.get("content-type")).toContain("text/event-stream");
    await until("the stream is open", async () => stream.count("open") === 1);
    ports.live.changed("another-project");
    ports.live.changed(project.id);
    await until("the change is heard", async () => stream.count("changed") === 1);
    ports.live.changed(project.id);
    await until("the next change is heard", async () => stream.count("changed") === 2);
    leaving.abort();
    await stream.ended;
  });

  it("breaks off when the process is told to stop, so that a stop never waits for it and a page opens it again (OBS-5)", async () => {
    const viewer = await makeUser(ctx, project, "viewer");
    const stopping = new AbortController();
    const stream = await open(viewer.id, new AbortController().signal, stopping.signal);
    await until("the stream is open", async () => stream.count("open") === 1);
    stopping.abort();
    await stream.ended;
    expect(stream.text(), "a stream that says that it is over is never opened again").not.toContain("event: return");
  });

  it("is refused to a stranger and to nobody (AUD-1)", async () => {
    const stranger = await makeUser(ctx, await makeProject(ctx), "admin");
    for (const [userId, code] of [
      [stranger.id, "not_found"],
      ["nobody", "unauthenticated"],
    ] as const) {
      const stream = await open(userId, new AbortController().signal);
      const text = await until("the refusal", async () => stream.text().includes(code) && stream.text());
      expect(text).not.toContain('"kind":"open"');
    }
  });
});

describe("health", () => {
  const ask = async () => {
    const response = await handleHealth(new Request(`${BASE}/api/health`), testWorld(ctx));
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  it("answers with boot id, leader and live workers: 503 without a leader, 200 with one (OBS-1)", async () => {
    expect(await ask()).toMatchObject({ status: 503, body: { bootId: "boot-1", database: "ok", leader: null, workers: [] } });
    await ctx.db
      .insert(leases)
      .values({ name: "scheduler", holder: "s1", bootId: ctx.ids.uuid(), epoch: 3, expiresAt: new Date(Date.now() + 60_000) });
    expect(await ask()).toMatchObject({
      status: 200,
      body: { status: "ok", leader: { holder: "s1", epoch: 3, wheelLagMs: null, failing: [] } },
    });
    expect((await ask()).body).toMatchObject({ queue: [], oldestReadyMs: 0, oldestOverdueMs: 0, unread: [] });
  });

  it("without a world it says that it is starting, and with a dead database that it is degraded", async () => {
    const starting = await handleHealth(new Request(`${BASE}/api/health`));
    expect([starting.status, await starting.json()]).toMatchObject([503, { status: "starting" }]);
    const gone = database.another();
    await gone.close();
    const dead = await handleHealth(new Request(`${BASE}/api/health`), testWorld({ ...actingAs(ctx, ctx.principal), db: gone.db }));
    expect([dead.status, await dead.json()]).toMatchObject([503, { database: "down" }]);
  });
});
