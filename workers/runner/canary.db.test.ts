import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { actingAs, makeProject, makeUser, recordingPorts, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { bundleChild } from "@/db/testing/programs";
import { makeFence, makePipeline, runOf, startRun } from "@/db/testing/runs";
import { until } from "@/db/testing/wait";
import { memoryDoorbell } from "@/server/adapters/doorbell-memory";
import { guardedHttp } from "@/server/adapters/http-guarded";
import { memoryLiveFeed } from "@/server/adapters/live-feed-memory";
import { openVault } from "@/server/adapters/vault";
import { decideNew } from "@/server/engine/alerts/decide-new";
import { saveChannel } from "@/server/engine/channels/save-channel";
import { sendDue } from "@/server/engine/channels/send-due";
import type { Ctx } from "@/server/engine/context";
import { exportReview } from "@/server/engine/incidents/export-review";
import { groupNew } from "@/server/engine/incidents/group-new";
import { listIncidents } from "@/server/engine/incidents/list-incidents";
import { setSecret } from "@/server/engine/secrets/set-secret";
import { inheritedEnvironment } from "@/server/env";
import type { Service } from "../service";
import { createRunner } from "./runner";

const SECRET = 'Kanarie-7/+=x&"geheim%41"';
const PEOPLE = ["13912345678", "11010519491231002X", "canary@mail.example.org", `ghp_${"a1B2c3D4e5F6".repeat(3)}`];
/** Of what is data by its purpose, and documented as kept: a run's parameters, and what is made of them. */
const DATUM = "13787654321";
const KEPT = ["attempts", "executions", "node_runs", "run_events", "runs"];

const percent = (text: string) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
const escaped = (text: string) => [...text].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
const base64 = (text: string) => Buffer.from(text).toString("base64");
const hex = (text: string) => Buffer.from(text).toString("hex");
/** What is spoken everywhere, and what of it a thief would look for: all in lower case. */
const SPOKEN = [
  ...[SECRET, percent(SECRET), escaped(SECRET), encodeURIComponent(encodeURIComponent(SECRET)), JSON.stringify(SECRET)],
  ...[base64(SECRET), base64(`user:${SECRET}`), encodeURIComponent(base64(SECRET)), hex(SECRET), SECRET.toUpperCase(), SECRET.slice(0, 8)],
  ...PEOPLE,
  ...PEOPLE.flatMap((one) => [percent(one), escaped(one), `said\\n${one}`]),
].join(" , ");
const SOUGHT = [
  ...[SECRET.slice(0, 8), SECRET.slice(-8), percent(SECRET).slice(0, 30), escaped(SECRET).slice(0, 40), base64(SECRET).slice(0, 16)],
  ...[base64(`user:${SECRET}`).slice(8, 24), hex(SECRET).slice(0, 24)],
  ...PEOPLE.flatMap((one) => [one, percent(one), escaped(one), hex(one)]),
].map((text) => text.toLowerCase());

let database: TestDatabase;
let ctx: Ctx;
let folder: string;
let runner: Service;
let child: Awaited<ReturnType<typeof bundleChild>>;
const outside: string[] = [];
const messages: string[] = [];
const http = guardedHttp({ isOpened: async () => true, own: [] });
/** An answer of 401 that says back all that came, and a receiver of alerts. */
const server = createServer((request, response) => {
  let body = "";
  request.on("data", (part: Buffer) => {
    body += part.toString();
  });
  request.on("end", () => {
    if (request.url?.startsWith("/hook")) {
      messages.push(body);
      response.writeHead(200).end();
      return;
    }
    response.writeHead(401, { "content-type": "application/json", "x-echo": encodeURIComponent(SPOKEN) });
    response.end(JSON.stringify({ url: request.url, headers: request.headers, body, said: SPOKEN }));
  });
});

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "canary-"));
  [database, child] = await Promise.all([openTestDatabase(), bundleChild()]);
  const vault = await openVault({ keyFile: join(folder, "secret.key"), sealedKeyIds: [] });
  const told = (...words: unknown[]) =>
    outside.push(words.map((word) => (word instanceof Error ? String(word.stack) : JSON.stringify(word))).join(" "));
  const ports = { ...recordingPorts(), doorbell: memoryDoorbell(), live: memoryLiveFeed(), http, vault };
  ctx = { ...testCtx(database.db, { ports }), log: { debug: told, info: told, warn: told, error: told } };
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

/** Every row of every table, whatever its columns are, as text. */
async function dump(): Promise<ReadonlyMap<string, string>> {
  const tables = await ctx.db.execute<{ name: string; parent: string }>(
    sql`select c.oid::regclass::text as name, coalesce(i.inhparent, c.oid)::regclass::text as parent from pg_class c
      left join pg_inherits i on i.inhrelid = c.oid join pg_namespace s on s.oid = c.relnamespace
      where c.relkind = 'r' and s.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')`,
  );
  const found = new Map<string, string>();
  for (const { name, parent } of tables) {
    const rows = await ctx.db.execute<{ text: string }>(sql`select t::text as text from ${sql.raw(name)} t`);
    found.set(parent, `${found.get(parent) ?? ""}\n${rows.map(({ text }) => text).join("\n")}`);
  }
  return found;
}

/** Doubled quotes and backslashes are how a row and JSON are written. */
const plain = (text: string) =>
  text
    .toLowerCase()
    .replaceAll('""', '"')
    .replaceAll(/\\+(?=["\\u])/g, "\\");
const seenIn = (text: string) => SOUGHT.filter((canary) => plain(text).includes(canary));

const TASKS = `
import { readFileSync } from "node:fs";
import { defineTask, z } from "apollo-11/sdk";
export const cries = defineTask({ name: "cries", input: z.any(), output: z.any(), run: async (ctx, { file, secret }) => {
  const said = readFileSync(file, "utf8");
  console.log(said); console.error(secret);
  throw new Error(said + " " + secret);
}});
`;

it("no canary is in any table, log, alert, delivery or export, however it is written: a secret, a phone number, an identity number, an address, a token (EXC-2, B100, B101)", async () => {
  await writeFile(join(folder, "tasks.mjs"), TASKS);
  await writeFile(join(folder, "spoken"), `${SPOKEN}\n${SECRET.slice(0, 9)}\n${SECRET.slice(9)}\n`);
  const project = await makeProject(ctx);
  const admin = actingAs(ctx, await makeUser(ctx, project, "admin"));
  await setSecret(admin, { projectId: project.id, name: "key", value: SECRET });
  const base = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  await saveChannel(admin, {
    projectId: project.id,
    name: "ops",
    grade: "P4",
    access: { kind: "webhook", url: `${base}/hook`, secret: `whsec_${base64("k".repeat(24))}` },
  });
  const retry = { policy: "none" as const };
  const secret = "{{ secrets.key }}";
  const file = join(folder, "spoken");
  const pipeline = await makePipeline(
    ctx,
    project,
    [
      {
        key: "asks",
        type: "http",
        retry,
        with: {
          method: "POST",
          url: `${base}/x?key=${secret}`,
          headers: { authorization: `Bearer ${secret}`, "x-raw": secret },
          body: { deep: secret },
        },
      },
      { key: "says", type: "command", retry, with: { argv: ["sh", "-c", `cat ${file}; cat ${file} >&2; exit 4`], env: { P: secret } } },
      {
        key: "tells",
        type: "command",
        retry,
        with: {
          argv: ["sh", "-c", `printf '{"k":"%s","n":"%s"}' "$(printf %s "$P" | base64 -w0)" "$N" > "$APOLLO_OUTPUT"`],
          env: { P: secret, N: "{{ params.customer }}" },
        },
      },
      { key: "cries", type: "handler", retry, with: { task: "cries", input: { file, secret } } },
    ],
    { onFailure: "continue", params: { customer: { type: "string", default: "" } } },
  );
  const runId = await startRun(ctx, pipeline, { params: { customer: DATUM } });
  runner = createRunner({
    ctx,
    clockOffsetMs: async () => 0,
    renewPool: () => {},
    openLane: () => database.another(),
    id: "canary",
    groups: ["default"],
    slots: 3,
    dataDir: folder,
    drainMs: 5_000,
    inherited: inheritedEnvironment(),
    handlers: { entry: child.entry, execArgv: [], folders: [folder], processes: 1 },
  });
  await runner.start();
  await until("the run has ended", async () => (await runOf(ctx, runId)).state === "FAILED", 60_000);
  await until("the logs are stored", async () => ((await dump()).get("log_chunks") ?? "").includes("stderr"), 20_000);
  const fence = await makeFence(ctx);
  await decideNew(ctx, fence);
  await groupNew(ctx, fence);
  await sendDue(ctx, fence);
  const { items } = await listIncidents(admin, { projectId: project.id });
  for (const { id } of items) outside.push(await exportReview(admin, { id }));
  expect(messages.length).toBeGreaterThan(0);
  expect(items.length).toBeGreaterThan(0);
  const tables = await dump();
  const failed = await ctx.db.execute<{ key: string; message: string }>(sql`select node_key as key, message from error_events order by 1`);
  expect(failed.map(({ key }) => key)).toEqual(["asks", "cries", "says"]);
  for (const { message } of failed) expect(message).toContain("***");
  for (const [table, text] of tables) expect(seenIn(text), table).toEqual([]);
  for (const text of [...outside, ...messages]) expect(seenIn(text), text.slice(0, 200)).toEqual([]);
  const keeping = [...tables].filter(([, text]) => text.includes(DATUM)).map(([table]) => table);
  expect(keeping).toContain("runs");
  expect(keeping.filter((table) => !KEPT.includes(table))).toEqual([]);
  expect(messages.join("\n")).not.toContain(DATUM);
}, 240_000);
