import { desc, eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { audit } from "@/db/schema/platform";
import { rest, type TestWorld, testWorld } from "@/db/testing/api";
import { makeProject, makeUser, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { definition } from "@/db/testing/mutations";
import type { Role } from "@/server/domain/access/roles";
import { createToken } from "@/server/engine/access/create-token";
import type { Ctx } from "@/server/engine/context";
import { cancelNode } from "@/server/engine/runs/cancel-node";

let database: TestDatabase;
let ctx: Ctx;
let world: TestWorld;
let project: { id: string; key: string };
const tokens = new Map<Role | "stranger", string>();

beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db);
  world = testWorld(ctx);
  project = await makeProject(ctx);
  for (const role of ["viewer", "operator", "editor", "admin"] as const) {
    tokens.set(role, (await createToken(ctx, { projectId: project.id, name: role, role })).token);
  }
  const other = await makeProject(ctx);
  tokens.set("stranger", (await createToken(ctx, { projectId: other.id, name: "other", role: "admin" })).token);
  await makeUser(ctx, project, "admin");
});
afterAll(() => database.close());

type As = Role | "stranger" | "nobody";
const as = (who: As) => (who === "nobody" ? {} : { token: tokens.get(who) ?? "" });
const call = (method: string, path: string, body?: unknown, who: As = "admin", headers: Record<string, string> = {}) =>
  rest(world, method, path, body, { ...as(who), headers });
const put = (name: string, body: unknown = definition(name), who: As = "editor", query = "") =>
  call("PUT", `/projects/${project.key}/pipelines/${name}${query}`, body, who);
const start = (name: string, body: unknown = {}, headers = {}) =>
  call("POST", `/projects/${project.key}/pipelines/${name}/runs`, body, "operator", headers);

describe("the REST surface", () => {
  it("applies a pipeline, gives it back, starts a run and shows its nodes and attempts (ECO-1)", async () => {
    expect(await put("orders")).toMatchObject({ status: 201, json: { name: "orders", outcome: "created", version: 1 } });
    expect(await put("orders")).toMatchObject({ status: 200, json: { outcome: "unchanged", version: 1 } });
    const got = await call("GET", `/projects/${project.key}/pipelines/orders`, undefined, "viewer");
    expect(got.json).toMatchObject({ name: "orders", version: 1, managedBy: "console", definition: { metadata: { name: "orders" } } });
    const run = await start("orders");
    expect(run).toMatchObject({ status: 201, json: { state: "RUNNING", repeated: false } });
    const { id } = run.json as { id: string };
    expect(run.headers.get("location")).toBe(`/api/v1/runs/${id}`);
    const shown = await call("GET", `/runs/${id}`, undefined, "viewer");
    expect(shown.json).toMatchObject({
      id,
      state: "RUNNING",
      pipeline: "orders",
      version: 1,
      trigger: { kind: "api", by: "operator" },
      nodes: [
        { key: "a", state: "QUEUED", executionId: expect.any(String), output: null, attempts: [] },
        { key: "b", state: "PENDING" },
      ],
    });
    const events = await call("GET", `/runs/${id}/events`, undefined, "viewer");
    expect((events.json as { items: { event: string }[] }).items.length).toBeGreaterThan(0);
    expect(world.bugs).toEqual([]);
  });

  it("starts many runs at once and tells of each, in order, what became of it (ECO-1)", async () => {
    await put("many");
    const runs = [{ pipeline: "many" }, { pipeline: "nowhere" }, { pipeline: "many", idempotencyKey: "many-1" }];
    const all = await call("POST", `/projects/${project.key}/runs`, { runs }, "operator");
    expect(all).toMatchObject({ status: 200, json: { items: [{ state: "RUNNING" }, { code: "not_found" }, { repeated: false }] } });
    const again = await call("POST", `/projects/${project.key}/runs`, { runs: [runs[2]] }, "operator");
    expect(again).toMatchObject({ status: 200, json: { items: [{ repeated: true }] } });
    expect((await call("POST", `/projects/${project.key}/runs`, { runs }, "viewer")).status).toBe(403);
    expect((await call("POST", `/projects/${project.key}/runs`, { runs: [] }, "operator")).status).toBe(400);
  });

  it("takes YAML and gives YAML, byte for byte the same after another round (PIP-7, ECO-1)", async () => {
    await put("yaml");
    const yaml = await call("GET", `/projects/${project.key}/pipelines/yaml`, undefined, "viewer", { accept: "application/yaml" });
    expect(yaml.type).toContain("application/yaml");
    const applied = await call("PUT", `/projects/${project.key}/pipelines/yaml`, yaml.text, "editor", {
      "content-type": "application/yaml",
    });
    expect(applied.json).toMatchObject({ outcome: "unchanged", version: 1 });
    const again = await call("GET", `/projects/${project.key}/pipelines/yaml`, undefined, "viewer", { accept: "text/yaml" });
    expect(again.text).toBe(yaml.text);
  });

  it("a dry run tells the diff and changes nothing (PIP-7)", async () => {
    await put("dry");
    const changed = definition("dry", { domain: "OTHER" });
    expect(await put("dry", changed, "editor", "?dryRun=true")).toMatchObject({
      status: 200,
      json: { dryRun: true, outcome: "published", version: 2, diff: { settings: [{ path: "spec.domain" }] } },
    });
    expect((await call("GET", `/projects/${project.key}/pipelines/dry`)).json).toMatchObject({ version: 1 });
  });

  it("the same idempotency key is one run, sent together or later; with another request it is refused (IDM-1, ECO-1)", async () => {
    await put("once", definition("once", { params: { n: { type: "integer", default: 1 } } }));
    const key = { "idempotency-key": ctx.ids.uuid() };
    const together = await Promise.all([1, 2, 3, 4, 5].map(() => start("once", { params: { n: 2 } }, key)));
    expect(new Set(together.map(({ json }) => (json as { id: string }).id)).size).toBe(1);
    expect(together.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 201]);
    expect(await start("once", { params: { n: 2 } }, key)).toMatchObject({ status: 200, json: { repeated: true } });
    expect(await start("once", { params: { n: 3 } }, key)).toMatchObject({
      status: 409,
      json: { code: "conflict", detail: expect.stringContaining("idempotency key") },
    });
    const list = await call("GET", `/runs?project=${project.key}&pipeline=once`);
    expect((list.json as { items: unknown[] }).items).toHaveLength(1);
  });

  it("pages runs by keyset: each run once while new ones start (B91)", async () => {
    await put("paged");
    const started = new Set<string>();
    for (let n = 0; n < 12; n++) started.add(((await start("paged")).json as { id: string }).id);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await call("GET", `/runs?pipeline=paged&limit=5${cursor ? `&cursor=${cursor}` : ""}`, undefined, "viewer");
      const { items, nextCursor } = page.json as { items: { id: string }[]; nextCursor: string | null };
      seen.push(...items.map(({ id }) => id));
      cursor = nextCursor;
      await start("paged");
    } while (cursor);
    expect(seen.filter((id) => started.has(id))).toHaveLength(12);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it("retries, skips, cancels, pauses, resumes and reruns with a reason, and refuses what the state does not allow (RUN-3)", async () => {
    await put("acts");
    const { id } = (await start("acts")).json as { id: string };
    const act = (path: string, body: unknown = { reason: "a test" }) => call("POST", `/runs/${id}${path}`, body, "operator");
    expect(await act("/nodes/a/cancel")).toMatchObject({ status: 200, json: { id, changed: expect.arrayContaining(["a"]) } });
    expect(await act("/nodes/a/retry")).toMatchObject({ status: 200, json: { state: "RUNNING" } });
    expect(await act("/nodes/a/retry")).toMatchObject({
      status: 409,
      type: "application/problem+json",
      json: { code: "illegal_transition", detail: expect.stringContaining("QUEUED") },
    });
    expect(await act("/nodes/a/skip")).toMatchObject({ status: 200 });
    expect(await act("/pause")).toMatchObject({ status: 200 });
    expect(await act("/resume")).toMatchObject({ status: 200 });
    expect(await act("/nodes/b/cancel")).toMatchObject({ status: 200 });
    expect(await act("/nodes/b/mark-success", { reason: "seen", output: { rows: 7 } })).toMatchObject({ status: 200 });
    expect((await call("GET", `/runs/${id}`)).json).toMatchObject({
      state: "SUCCESS",
      nodes: [{ state: "SKIPPED" }, { state: "SUCCESS", output: { rows: 7 } }],
    });
    expect(await act("/nodes/b/rerun-from")).toMatchObject({ status: 200 });
    expect(await act("/cancel")).toMatchObject({ status: 200, json: { state: "CANCELED" } });
    const rerun = await act("/rerun");
    expect(rerun).toMatchObject({ status: 201, json: { rerunOf: id } });
    expect((await call("GET", `/runs/${(rerun.json as { id: string }).id}`)).json).toMatchObject({
      rerunOf: id,
      trigger: { kind: "rerun" },
      version: 1,
    });
    expect(await act("/cancel", {})).toMatchObject({ status: 400, json: { issues: [{ path: "reason", code: "required" }] } });
    expect(await act("/nodes/ghost/retry")).toMatchObject({ status: 404 });
  });

  it("each change leaves exactly one audit row of its token, and a repeated or refused one leaves none (AUD-2, B102)", async () => {
    const counted = async (work: () => Promise<{ status: number }>) => {
      const before = await ctx.db.$count(audit);
      const { status } = await work();
      return [status < 300 ? "done" : "refused", (await ctx.db.$count(audit)) - before];
    };
    const act = (id: string, path: string) => counted(() => call("POST", `/runs/${id}${path}`, { reason: "a test" }, "operator"));
    expect(await counted(() => put("counted"))).toEqual(["done", 1]);
    expect(await counted(() => put("counted"))).toEqual(["done", 0]);
    expect(await counted(() => put("counted", definition("counted", { domain: "X" }), "editor", "?dryRun=true"))).toEqual(["done", 0]);
    const key = { "idempotency-key": ctx.ids.uuid() };
    expect(await counted(() => start("counted", {}, key))).toEqual(["done", 1]);
    expect(await counted(() => start("counted", {}, key))).toEqual(["done", 0]);
    const { id } = (await start("counted")).json as { id: string };
    for (const path of [
      "/pause",
      "/resume",
      "/nodes/a/cancel",
      "/nodes/a/retry",
      "/nodes/a/skip",
      "/nodes/b/cancel",
      "/nodes/b/mark-success",
      "/nodes/b/rerun-from",
      "/cancel",
      "/rerun",
    ]) {
      expect([path, ...(await act(id, path))]).toEqual([path, "done", 1]);
    }
    expect(await act(id, "/pause")).toEqual(["refused", 0]);
    const crontab = { text: "3 3 * * * /opt/counted\n", timezone: "UTC" };
    expect(await counted(() => call("POST", "/import/crontab", crontab, "editor"))).toEqual(["done", 1]);
    expect(await counted(() => call("POST", "/import/crontab", crontab, "editor"))).toEqual(["done", 0]);
    const [row] = await ctx.db.select().from(audit).where(eq(audit.verb, "run.rerun")).orderBy(desc(audit.seq)).limit(1);
    expect(row).toMatchObject({ actorKind: "token", actorLabel: "operator", reason: "a test", source: { via: "api" } });
  });

  it("reads logs, fires and the audit with its reason (ECO-1, SCH-5, AUD-2)", async () => {
    await put("ledger");
    const { id } = (await start("ledger")).json as { id: string };
    await cancelNode(ctx, { runId: id, key: "a", reason: "not today" });
    const logs = await call("GET", `/runs/${id}/nodes/a/logs`, undefined, "viewer");
    expect(logs).toMatchObject({ status: 404, json: { detail: expect.stringContaining("no such attempt") } });
    expect(await call("GET", `/projects/${project.key}/fires?schedule=nightly`)).toMatchObject({
      status: 400,
      json: { issues: [{ path: "schedule", code: "ambiguous" }] },
    });
    const fires = await call(
      "GET",
      `/projects/${project.key}/fires?from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00%2B08:00&limit=10`,
      undefined,
      "viewer",
    );
    expect(fires).toMatchObject({ status: 200, json: { items: [], nextCursor: null, sums: expect.anything() } });
    const trail = await call("GET", `/projects/${project.key}/audit?verb=run.cancelNode&limit=1`, undefined, "viewer");
    expect((trail.json as { items: unknown[] }).items).toMatchObject([{ verb: "run.cancelNode", reason: "not today", object: { id } }]);
  });

  it("imports a crontab: a preview first, then all of it once (INV-3)", async () => {
    const text = "MAILTO=ops@example.org\n*/5 * * * * /opt/sync --all\n0 0 31 2 * /opt/never\n";
    const preview = await call("POST", "/import/crontab?dryRun=true", { text, timezone: "Asia/Shanghai" }, "editor");
    expect(preview).toMatchObject({ status: 200, json: { counts: { offered: 1, refused: 1 }, existing: [] } });
    expect((await call("GET", `/projects/${project.key}/pipelines?search=sync`)).json).toMatchObject({ items: [] });
    const made = await call("POST", "/import/crontab", { text, timezone: "Asia/Shanghai", enabled: true }, "editor");
    expect(made).toMatchObject({ status: 201, json: { created: [{ line: 2 }], existing: [] } });
    const plain = await call("POST", "/import/crontab?timezone=Asia/Shanghai&enabled=true", text, "editor", {
      "content-type": "text/plain",
    });
    expect(plain).toMatchObject({ status: 200, json: { created: [], existing: [{ line: 2 }] } });
  });
});

describe("who may use it", () => {
  it.each([
    ["viewer", "PUT", 403],
    ["operator", "PUT", 403],
    ["editor", "PUT", 201],
    ["stranger", "PUT", 404],
    ["nobody", "PUT", 401],
  ] as const)("%s: %s a pipeline is %i (AUD-1)", async (who, _method, status) => {
    const answer = await put(`mine-${who}`, definition(`mine-${who}`), who);
    expect(answer.status).toBe(status);
    if (status >= 400) expect(answer.type).toBe("application/problem+json");
    if (status === 401) expect(answer.headers.get("www-authenticate")).toContain("Bearer");
  });

  it("another project's run, pipeline, fires and audit are not there for a stranger (AUD-1)", async () => {
    await put("private");
    const { id } = (await start("private")).json as { id: string };
    const paths = [
      `/runs/${id}`,
      `/runs/${id}/events`,
      `/runs/${id}/nodes/a/logs`,
      `/projects/${project.key}/pipelines/private`,
      `/projects/${project.key}/fires`,
      `/projects/${project.key}/audit`,
      `/runs?project=${project.key}`,
    ];
    for (const path of paths) expect((await call("GET", path, undefined, "stranger")).status, path).toBe(404);
    for (const act of [
      "cancel",
      "pause",
      "resume",
      "rerun",
      "nodes/a/retry",
      "nodes/a/skip",
      "nodes/a/mark-success",
      "nodes/a/rerun-from",
    ]) {
      expect((await call("POST", `/runs/${id}/${act}`, { reason: "x" }, "stranger")).status, act).toBe(404);
      expect((await call("POST", `/runs/${id}/${act}`, { reason: "x" }, "viewer")).status, act).toBe(403);
    }
  });

  it("a token that is unknown, cut or of another scheme is 401 and never taken for nobody (AUD-1)", async () => {
    const good = tokens.get("viewer") ?? "";
    for (const authorization of [`Bearer ${good}0`, `Bearer ${good.slice(0, -1)}`, "Bearer ", `Basic ${good}`, good, `Bearer ${good} x`]) {
      expect((await rest(world, "GET", "/runs", undefined, { headers: { authorization } })).status, authorization).toBe(401);
    }
    expect((await rest(world, "GET", "/runs", undefined, { headers: { cookie: "as=somebody" } })).status).toBe(401);
  });
});

describe("the OpenAPI document", () => {
  it("is 3.1, open to anyone, and names every path of the surface with its problem answer (ECO-1)", async () => {
    const { status, json } = await call("GET", "/openapi.json", undefined, "nobody");
    const document = json as {
      openapi: string;
      paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
      components: { schemas: Record<string, { properties?: object }> };
    };
    expect([status, document.openapi]).toEqual([200, "3.1.0"]);
    const paths = [
      "/projects/{project}/pipelines/{name}",
      "/projects/{project}/pipelines/{name}/runs",
      "/runs",
      "/runs/{id}",
      "/runs/{id}/events",
      ...["cancel", "pause", "resume", "rerun"].map((word) => `/runs/{id}/${word}`),
      ...["retry", "skip", "mark-success", "rerun-from", "logs"].map((word) => `/runs/{id}/nodes/{key}/${word}`),
      "/projects/{project}/fires",
      "/projects/{project}/audit",
      "/import/crontab",
    ].map((path) => `/api/v1${path}`);
    expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(paths));
    for (const [path, verbs] of Object.entries(document.paths)) {
      for (const [verb, operation] of Object.entries(verbs)) expect(operation.responses, `${verb} ${path}`).toHaveProperty("default");
    }
    expect(document.components.schemas).toMatchObject({
      PipelineDefinition: { properties: { apiVersion: expect.anything() } },
      Problem: expect.anything(),
      Run: expect.anything(),
    });
    expect((await call("GET", "/schema/pipeline.json", undefined, "nobody")).json).toMatchObject({ title: "Apollo-11 pipeline" });
  });

  it("an address that is not in it is a 404 problem (ECO-1)", async () => {
    for (const path of ["/", "/nothing", "/runs/x/y/z", "/openapi.json/x", "/openapi.jsonx", "/projects"]) {
      expect(await call("GET", path)).toMatchObject({ status: 404, type: "application/problem+json" });
    }
  });
});
