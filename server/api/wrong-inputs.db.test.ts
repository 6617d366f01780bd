import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callProcedure, rest, sendProcedure, type TestWorld, testWorld } from "@/db/testing/api";
import { makeProject, makeUser, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { definition, MUTATIONS, QUERIES, type Scene } from "@/db/testing/mutations";
import { createToken } from "@/server/engine/access/create-token";
import type { Ctx } from "@/server/engine/context";

let database: TestDatabase;
let ctx: Ctx;
let world: TestWorld;
let project: { id: string; key: string };
let token: string;
let boss: string;

beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db);
  world = testWorld(ctx);
  project = await makeProject(ctx);
  ({ token } = await createToken(ctx, { projectId: project.id, name: "t", role: "admin" }));
  boss = (await makeUser(ctx, project, "administrator")).id;
});
afterAll(() => database.close());

type Change = (d: { metadata: Record<string, unknown>; spec: Record<string, unknown> } & Record<string, unknown>) => void;
const wrong = (change: Change) => {
  const made = structuredClone(definition("wrong")) as never as Parameters<Change>[0];
  change(made);
  return made;
};
const deep = (levels: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
};
const withNodes = (...nodes: object[]) => wrong((d) => (d.spec.nodes = nodes));
const wait = (key: string, more: object = {}) => ({ key, type: "wait", with: { for: "1s" }, ...more });
const nul = "a\u0000b";

interface Row {
  readonly name: string;
  readonly body: unknown;
  /** The issue's path and code. */
  readonly path: string | RegExp;
  readonly code?: string;
  readonly status?: number;
}

const DEFINITIONS: readonly Row[] = [
  { name: "an unknown field", body: wrong((d) => (d.spec.retires = 3)), path: "spec.retires", code: "unknown_field" },
  { name: "an unknown field of a node", body: withNodes(wait("a", { neds: [] })), path: "spec.nodes[0].neds", code: "unknown_field" },
  {
    name: "a cycle",
    body: withNodes(wait("a", { needs: ["b"] }), wait("b", { needs: ["a"] })),
    path: /spec\.nodes\[\d\]\.needs/,
    code: "cycle",
  },
  { name: "a node that needs itself", body: withNodes(wait("a", { needs: ["a"] })), path: /spec\.nodes\[0\]\.needs/ },
  {
    name: "a need that is not there",
    body: withNodes(wait("a", { needs: ["ghost"] })),
    path: "spec.nodes[0].needs[0]",
    code: "unknown_need",
  },
  {
    name: "a reference to a node that is not there",
    body: withNodes({ key: "a", type: "command", with: { argv: ["echo", "{{ nodes.ghost.output.x }}"] } }),
    path: "spec.nodes[0].with.argv[1]",
    code: "missing_reference",
  },
  {
    name: "a reference to a parameter that is not there",
    body: withNodes({ key: "a", type: "command", with: { argv: ["echo", "{{ params.ghost }}"] } }),
    path: "spec.nodes[0].with.argv[1]",
    code: "missing_reference",
  },
  {
    name: "a template that does not end",
    body: withNodes({ key: "a", type: "command", with: { argv: ["{{ params."] } }),
    path: "spec.nodes[0].with.argv[0]",
  },
  {
    name: "cron 0 0 31 2 *",
    body: wrong((d) => (d.spec.schedules = [{ name: "n", cron: "0 0 31 2 *", timezone: "UTC" }])),
    path: "spec.schedules[0].cron",
  },
  {
    name: "cron of four fields",
    body: wrong((d) => (d.spec.schedules = [{ name: "n", cron: "* * * *", timezone: "UTC" }])),
    path: "spec.schedules[0].cron",
  },
  {
    name: "zone Mars/Base",
    body: wrong((d) => (d.spec.schedules = [{ name: "n", cron: "0 0 * * *", timezone: "Mars/Base" }])),
    path: "spec.schedules[0].timezone",
  },
  {
    name: "a fixed offset as zone",
    body: wrong((d) => (d.spec.schedules = [{ name: "n", cron: "0 0 * * *", timezone: "+08:00" }])),
    path: "spec.schedules[0].timezone",
  },
  { name: "a title of 900 kB", body: wrong((d) => (d.metadata.title = "n".repeat(900_000))), path: "metadata.title", code: "too_long" },
  { name: "a definition of 1.5 MB", body: wrong((d) => (d.metadata.description = "n".repeat(1_500_000))), path: "", code: "too_large" },
  { name: "a NUL in the title", body: wrong((d) => (d.metadata.title = nul)), path: "metadata.title", code: "nul_byte" },
  {
    name: "a NUL in a key of the environment",
    body: withNodes({ key: "a", type: "command", with: { argv: ["x"], env: { [nul]: "v" } } }),
    path: /spec\.nodes\[0\]\.with\.env/,
  },
  { name: "half of a surrogate pair", body: wrong((d) => (d.metadata.title = "\ud83d")), path: "metadata.title", code: "broken_text" },
  { name: "a name of emoji", body: wrong((d) => (d.metadata.name = "🚀")), path: "metadata.name" },
  {
    name: "another name than in the address",
    body: wrong((d) => (d.metadata.name = "other")),
    path: "metadata.name",
    code: "name_differs",
  },
  { name: "JSON nested 500 deep", body: wrong((d) => (d.metadata.labels = deep(500))), path: /.*/, code: "too_deep" },
  {
    name: "a number beyond 2^53",
    body: JSON.stringify(definition("wrong")).replace('"TEST"', "12345678901234567890"),
    path: "spec.domain",
    code: "unsafe_integer",
  },
  { name: "a field that stands twice", body: '{"apiVersion":"apollo11/v1","apiVersion":"apollo11/v1"}', path: "", code: "duplicate_key" },
  { name: "text that is no JSON", body: '{"apiVersion": ', path: "" },
  { name: "an array", body: [], path: /.*/ },
  { name: "null", body: "null", path: /.*/ },
  { name: "nothing", body: "", path: /.*/ },
  { name: "a million brackets", body: "[".repeat(900_000), path: "", code: "too_deep" },
];

function judge(row: Row, issues: readonly { path: string; code: string; message: string }[]): void {
  const found = issues.find(({ path }) => (typeof row.path === "string" ? path === row.path : row.path.test(path)));
  expect(found, JSON.stringify(issues).slice(0, 500)).toBeDefined();
  if (row.code) expect(issues.map(({ code }) => code)).toContain(row.code);
  for (const { message } of issues) {
    expect(message.length).toBeGreaterThan(5);
    expect(message.length).toBeLessThan(600);
  }
}

describe("a wrong definition", () => {
  it.each(DEFINITIONS)("over REST: $name is a 400 problem that says what and where (SEC-3, B78)", async (row) => {
    const { status, type, json } = await rest(world, "PUT", `/projects/${project.key}/pipelines/wrong`, row.body, { token });
    const problem = json as { detail: string; title: string; issues: Parameters<typeof judge>[1]; instance: string };
    expect([status, type]).toEqual([row.status ?? 400, "application/problem+json"]);
    expect(problem).toMatchObject({ title: expect.any(String), detail: expect.any(String), instance: expect.stringMatching(/^urn:uuid:/) });
    expect(problem.detail.length).toBeLessThan(2_000);
    judge(row, problem.issues);
    expect(world.bugs).toEqual([]);
  });

  it.each(DEFINITIONS)("over tRPC: $name is refused with the same issue (SEC-3, B78)", async (row) => {
    const text = typeof row.body === "string" ? row.body : JSON.stringify(row.body);
    const answer = await callProcedure(world, "pipelines.applyText", { projectId: project.id, name: "wrong", text }, { as: boss });
    expect([answer.status, answer.failure?.code]).toEqual([400, "invalid_input"]);
    judge(row, answer.failure?.issues ?? []);
    expect(world.bugs).toEqual([]);
  });

  it("Chinese and emoji are welcome wherever people read (SEC-3)", async () => {
    const body = { ...definition("zh"), metadata: { name: "zh", title: "每日订单 🚀", owner: "数据组", labels: { 组: "核心" } } };
    expect((await rest(world, "PUT", `/projects/${project.key}/pipelines/zh`, body, { token })).status).toBe(201);
    expect((await rest(world, "GET", `/projects/${project.key}/pipelines/zh`, undefined, { token })).json).toMatchObject({
      title: "每日订单 🚀",
      labels: { 组: "核心" },
    });
  });
});

describe("a body that no client writes", () => {
  const path = () => `/projects/${project.key}/pipelines/wrong/runs`;
  it.each([
    { name: "another content type", body: "x=1", headers: { "content-type": "application/x-www-form-urlencoded" }, status: 400 },
    { name: "a form", body: "--x\r\n\r\n--x--", headers: { "content-type": "multipart/form-data; boundary=x" }, status: 400 },
    { name: "no content type", body: "{}", headers: { "content-type": "" }, status: 400 },
    { name: "half a JSON", body: "{", headers: {}, status: 400 },
    { name: "deep JSON", body: JSON.stringify({ params: deep(200) }), headers: {}, status: 400 },
    { name: "a NUL", body: JSON.stringify({ params: { a: nul } }), headers: {}, status: 400 },
    { name: "an unknown field", body: JSON.stringify({ parms: {} }), headers: {}, status: 400 },
    { name: "more than 2 MB", body: `{"params":{"a":"${"x".repeat(2_100_000)}"}}`, headers: {}, status: 413 },
    { name: "an idempotency key of 201 characters", body: "{}", headers: { "idempotency-key": "k".repeat(201) }, status: 400 },
  ])("over REST: $name is refused (SEC-3, B78)", async ({ body, headers, status }) => {
    const answer = await rest(world, "POST", path(), body, { token, headers: headers as Record<string, string> });
    expect([answer.status, answer.type]).toEqual([status, "application/problem+json"]);
    expect(world.bugs).toEqual([]);
  });

  it("bytes that are no UTF-8 are refused (SEC-3)", async () => {
    const { handleRest } = await import("./http/rest");
    const request = new Request(`http://127.0.0.1:3000/api/v1${path()}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]),
    });
    expect((await handleRest(request, world)).status).toBe(400);
  });

  it.each([
    ["/runs?limit=0", "limit"],
    ["/runs?limit=abc", "limit"],
    ["/runs?limit=99999", "limit"],
    ["/runs?state=NOPE", /^state/],
    ["/runs?cursor=%00", "cursor"],
    ["/runs?cursor=1'%20or%201=1", "cursor"],
    ["/runs?nope=1", "nope"],
    ["/runs?limit=1&limit=2", "limit"],
    ["/runs/not-an-id", "id"],
    ["/runs/%00", /.*/],
    ["/runs/00000000-0000-7000-8000-000000000000/nodes/UPPER/logs", "key"],
    ["/runs/00000000-0000-7000-8000-000000000000/nodes/a/logs?tail=1e9", "tail"],
    ["/projects/DEMO/fires", "project"],
    ["/projects/{project}/fires?from=yesterday", "from"],
    ["/projects/{project}/audit?verb=';drop", "verb"],
    ["/projects/{project}/audit?cursor=x", "cursor"],
  ])("over REST: GET %s is a 400 that names the place (SEC-3)", async (address, where) => {
    const answer = await rest(world, "GET", address.replace("{project}", project.key), undefined, { token });
    const { issues } = answer.json as { issues: { path: string }[] };
    expect([answer.status, answer.type]).toEqual([400, "application/problem+json"]);
    if (typeof where === "string") expect(issues.map(({ path }) => path)).toContain(where);
    else expect(issues.some(({ path }) => where.test(path)) || issues.length === 0).toBe(true);
    expect(world.bugs).toEqual([]);
  });

  it.each([
    ["not JSON", "{"],
    ["no envelope", '"x"'],
    ["a number", "7"],
    ["null", "null"],
    ["an array", "[]"],
    ["a wrong envelope", '{"json":{"projectId":"x"},"meta":{"values":{"a":[["nonsense"]]}}}'],
    ["a hostile envelope", '{"json":{},"meta":{"values":{"__proto__.x":["undefined"]}}}'],
    ["referential nonsense", '{"json":{},"meta":{"referentialEqualities":{"a":["b"]}}}'],
    ["an unknown class", '{"json":{"a":{}},"meta":{"values":{"a":[["class","Date"]]}}}'],
    ["a polluted prototype", '{"json":{"__proto__":{"isAdmin":true}}}'],
    ["a NUL", JSON.stringify({ json: { projectId: nul, name: "x", title: "x" } })],
    ["deep JSON", JSON.stringify({ json: deep(300) })],
  ])("over tRPC: %s is a 400 in the shape that the client reads (SEC-3)", async (_name, body) => {
    const answer = await sendProcedure(world, "pipelines.create", body, { as: boss });
    expect([answer.status, answer.failure?.code]).toEqual([400, "invalid_input"]);
    expect(world.bugs).toEqual([]);
  });

  it("over tRPC: 21 calls in one batch are refused, 20 are not (SEC-3)", async () => {
    const batch = (n: number) => `${Array.from({ length: n }, () => "session.me").join(",")}?batch=1`;
    const { handleTrpc } = await import("./http/trpc");
    const send = (n: number) =>
      handleTrpc(
        new Request(`http://127.0.0.1:3000/api/trpc/${batch(n)}`, {
          method: "POST",
          headers: { "content-type": "application/json", origin: "http://127.0.0.1:3000", host: "127.0.0.1:3000" },
          body: "{}",
        }),
        world,
      );
    expect((await send(21)).status).toBe(400);
    expect((await send(20)).status).toBe(200);
  });
});

describe("hostile values in every field of every procedure", () => {
  const HOSTILE: readonly unknown[] = [
    null,
    -1,
    1e308,
    "",
    nul,
    "'; drop table runs; --",
    "x".repeat(10_000),
    [],
    {},
    { a: { b: 1 } },
    [null],
    true,
    new Date(Number.NaN),
  ];
  const scene = (): Scene => ({ ctx, project, callerId: boss });
  const cases = [...Object.entries(MUTATIONS), ...Object.entries(QUERIES)].map(([path, make]) => ({ path, make }));

  it.each(cases)("$path never answers with 500 (SEC-3)", async ({ path, make }) => {
    const input = ((await make(scene())) ?? {}) as Record<string, unknown>;
    const unknown = await callProcedure(world, path, { ...input, surprise: 1 }, { as: boss });
    if (Object.keys(input).length > 0)
      expect(unknown.failure?.issues).toContainEqual(expect.objectContaining({ path: "surprise", code: "unknown_field" }));
    for (const field of Object.keys(input)) {
      for (const value of HOSTILE) {
        const answer = await callProcedure(world, path, { ...input, [field]: value }, { as: boss });
        expect(answer.status, `${path} ${field} ${JSON.stringify(value)?.slice(0, 40)}: ${answer.message}`).toBeLessThan(500);
      }
    }
    for (const whole of [null, [], "x", 1, undefined])
      expect((await callProcedure(world, path, whole, { as: boss })).status).toBeLessThan(500);
    expect(world.bugs).toEqual([]);
  });
});
