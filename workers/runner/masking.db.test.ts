import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeProject, recordingPorts, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { bundleChild } from "@/db/testing/programs";
import { makePipeline, runOf, startRun } from "@/db/testing/runs";
import { until } from "@/db/testing/wait";
import { memoryDoorbell } from "@/server/adapters/doorbell-memory";
import { guardedHttp } from "@/server/adapters/http-guarded";
import { memoryLiveFeed } from "@/server/adapters/live-feed-memory";
import type { Ctx } from "@/server/engine/context";
import { inheritedEnvironment } from "@/server/env";
import type { Service } from "../service";
import { createRunner } from "./runner";

const CANARIES = {
  "a phone number": "13800138000",
  "a phone number from abroad": "+14155552671",
  "an identity number": "11010519491231002X",
  "a bank card": "6212345678901232",
  "an e-mail address": "canary@mail.example.com",
  "a token": `ghp_${"a1B2c3D4e5F6".repeat(3)}`,
};
const SPOKEN = Object.values(CANARIES).join(" , ");
const READABLE = "order 7615917337495251231 at 1767225600123";

let database: TestDatabase;
let ctx: Ctx;
let folder: string;
let runner: Service;
let child: Awaited<ReturnType<typeof bundleChild>>;
const http = guardedHttp({ isOpened: async () => true, own: [] });
const server = createServer((_, response) => {
  response.writeHead(409, { "content-type": "application/problem+json", "x-customer": SPOKEN });
  response.end(JSON.stringify({ type: "/errors/refused", title: "Refused", detail: SPOKEN, order_id: SPOKEN }));
});

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "masking-"));
  [database, child] = await Promise.all([openTestDatabase(), bundleChild()]);
  ctx = testCtx(database.db, { ports: { ...recordingPorts(), doorbell: memoryDoorbell(), live: memoryLiveFeed(), http } });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
});
afterAll(async () => {
  await runner.stop();
  server.closeAllConnections();
  server.close();
  await http.close();
  await Promise.all([database.close(), child.remove(), rm(folder, { recursive: true, force: true })]);
});

/** Every table of the product that has a row with this text, whatever its columns are. */
async function tablesWith(text: string): Promise<string[]> {
  const tables = await ctx.db.execute<{ name: string }>(
    sql`select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const [row] = await ctx.db.execute(sql`select from ${sql.raw(name)} t where position(${text} in t::text) > 0 limit 1`);
    if (row) found.push(name);
  }
  return found;
}

it("nothing that a command or a service says of people is in any table: a phone number, an identity number, a card, an address, a token (EXC-2)", async () => {
  const spoken = join(folder, "spoken");
  await writeFile(spoken, `${SPOKEN} ${READABLE}\n`);
  const said = `::apollo-error code=REFUSED_9 message="${SPOKEN}" order_id="${SPOKEN}"\n`;
  await writeFile(join(folder, "said"), said);
  const project = await makeProject(ctx);
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const retry = { policy: "none" as const };
  const pipeline = await makePipeline(
    ctx,
    project,
    [
      { key: "asks", type: "http", retry, with: { method: "GET", url: `${base}/x` } },
      { key: "says", type: "command", retry, with: { argv: ["sh", "-c", `cat ${spoken}; cat ${spoken} >&2; cat ${folder}/said; exit 3`] } },
      { key: "fails", type: "command", retry, with: { argv: ["sh", "-c", `cat ${spoken}; cat ${spoken} >&2; exit 4`] } },
    ],
    { onFailure: "continue", businessKeys: ["order_id"], params: { order_id: { type: "string", default: "A-1" } } },
  );
  const runId = await startRun(ctx, pipeline, { params: { order_id: "A-1" } });
  runner = createRunner({
    ctx,
    clockOffsetMs: async () => 0,
    renewPool: () => {},
    openLane: () => database.another(),
    id: "masker",
    groups: ["default"],
    slots: 3,
    dataDir: folder,
    drainMs: 5_000,
    inherited: inheritedEnvironment(),
    handlers: { entry: child.entry, execArgv: [], folders: [], processes: 1 },
  });
  await runner.start();
  await until("the run has ended", async () => (await runOf(ctx, runId)).state === "FAILED", 30_000);
  await until("the logs are stored", async () => (await tablesWith(READABLE)).length > 0, 10_000);
  for (const [what, canary] of Object.entries(CANARIES)) expect(await tablesWith(canary), what).toEqual([]);
  const events = await ctx.db.execute<{ code: string; message: string; order: string }>(
    sql`select code, message, context ->> 'order_id' as order from error_events where run_id = ${runId}::uuid order by code`,
  );
  expect(events.map(({ code }) => code)).toEqual(["TEST_API_REFUSED_409", "TEST_COMMAND_EXIT_4", "TEST_COMMAND_REFUSED_9"]);
  for (const { message } of events) expect(message).toContain("***");
  expect(events.map(({ order }) => order.includes("***"))).toEqual([true, false, true]);
}, 60_000);
