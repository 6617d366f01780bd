import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { rest, type TestWorld, testWorld } from "@/db/testing/api";
import { actingAs, makeProject, makeUser, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { CODE_FACTS as facts } from "@/db/testing/mutations";
import type { Role } from "@/server/domain/access/roles";
import { createToken } from "@/server/engine/access/create-token";
import { setReviewers } from "@/server/engine/codes/set-reviewers";
import { handleRest } from "./http/rest";

let database: TestDatabase;
let world: TestWorld;
let project: { id: string; key: string };
const tokens = new Map<Role, string>();
const code = "TEST_STOCK_SHORTAGE_409";

beforeAll(async () => {
  database = await openTestDatabase();
  const ctx = testCtx(database.db);
  world = testWorld(ctx);
  project = await makeProject(ctx);
  const admin = actingAs(ctx, await makeUser(ctx, project, "admin"));
  await setReviewers(admin, { projectId: project.id, reviewers: 0 });
  for (const role of ["viewer", "operator"] as const) {
    tokens.set(role, (await createToken(admin, { projectId: project.id, name: role, role })).token);
  }
});
afterAll(() => database.close());

const call = async (method: string, path: string, body?: unknown, role: Role = "operator") => {
  const { status, json } = await rest(world, method, path, body, { token: tokens.get(role) ?? "" });
  return { status, json: json as Record<string, unknown> };
};

it("codes are proposed, listed, exported and checked over REST, by those who may (ECO-1, EXC-9)", async () => {
  const path = `/projects/${project.key}/codes`;
  expect((await call("POST", path, { code, facts }, "viewer")).status).toBe(403);
  expect((await call("POST", path, { code: "shortage", facts })).status).toBe(400);
  expect(await call("POST", path, { code, facts })).toMatchObject({
    status: 201,
    json: { code, state: "registered", title: { zh: "缺货" } },
  });
  const twin = { code: "TEST_STOCK_SHORTAGES_409", facts };
  expect(await call("POST", path, twin)).toMatchObject({ status: 409, json: { code: "conflict", detail: expect.stringContaining(code) } });
  expect(await call("GET", `${path}?search=shortage&limit=1`, undefined, "viewer")).toMatchObject({
    json: { items: [{ code, events: 0, grade: "P2" }], nextCursor: null },
  });
  const checked = await call("POST", `${path}/check`, { codes: [code, "TEST_STOCK_SHORTAGES_409", "UTF_X_8"] }, "viewer");
  expect(checked.json).toEqual({ refused: [{ code: "TEST_STOCK_SHORTAGES_409", state: null, near: [code] }] });
  const request = new Request(`http://x/api/v1${path}.ts`, { headers: { authorization: `Bearer ${tokens.get("viewer")}` } });
  const module = await handleRest(request, world);
  expect([module.status, module.headers.get("content-type")]).toEqual([200, "text/typescript; charset=utf-8"]);
  expect(await module.text()).toContain(`  ${code}: {`);
});

it("the check for CI refuses unregistered codes with what, where and what to do, and exit code 1 (EXC-9)", async () => {
  const folder = await mkdtemp(join(tmpdir(), "codes-"));
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      const headers = { authorization: request.headers.authorization ?? "", "content-type": "application/json" };
      const answer = await handleRest(new Request(`http://x${request.url}`, { method: "POST", headers, body }), world);
      response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  try {
    const [good, bad, token] = ["good.ts", "bad.py", "token"].map((name) => join(folder, name)) as [string, string, string];
    await writeFile(good, `fail("${code}")`);
    await writeFile(bad, `\n\nprint("::apollo-error code=TEST_STOCK_SHORTAGES_409")`);
    await writeFile(token, `${tokens.get("viewer")}\n`);
    const at = ["--server", `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, "--project", project.key, "--token-file", token];
    expect(await run([...at, good])).toMatchObject({ exit: 0, out: "1 codes in 1 files, 0 refused\n" });
    const failed = await run(at, `${good}\n${bad}\n`);
    expect(failed.exit).toBe(1);
    expect(failed.err).toBe(
      `${bad}:3: TEST_STOCK_SHORTAGES_409 is not registered; use ${code}, or propose it under http://127.0.0.1:${(server.address() as AddressInfo).port}/codes\n`,
    );
    expect(await run([...at.slice(0, 2), "--project", "elsewhere", ...at.slice(4), good])).toMatchObject({
      exit: 2,
      err: expect.stringContaining("404"),
    });
  } finally {
    server.close();
    await rm(folder, { recursive: true });
  }
}, 60_000);

async function run(args: readonly string[], stdin = "") {
  const child = spawn(process.execPath, ["--import", "tsx", "workers/cli/check-codes.ts", ...args], { stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.end(stdin);
  const exited = new Promise<number | null>((resolve) => {
    child.once("exit", resolve);
  });
  const [out, err, exit] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { out, err, exit };
}
