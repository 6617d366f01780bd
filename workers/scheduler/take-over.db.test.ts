import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asc, eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fires } from "@/db/schema/pipelines";
import { makeProject, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { publishTimed } from "@/db/testing/schedules";
import { until } from "@/db/testing/wait";
import { inheritedEnvironment } from "@/server/env";

let database: TestDatabase;
let dataDir: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  database = await openTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), "apollo-take-over-"));
});
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await database.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** A real scheduler process on the test's database. */
function startProcess(): ChildProcess & { readonly said: string[] } {
  const env = {
    ...inheritedEnvironment(),
    DATABASE_URL: database.url,
    APOLLO_DATA_DIR: dataDir,
    APOLLO_LOG_LEVEL: "info",
  } as unknown as NodeJS.ProcessEnv;
  const child = spawn(process.execPath, ["--import", "tsx", "workers/scheduler/main.ts"], { env, stdio: ["ignore", "pipe", "pipe"] });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => said.push(chunk.toString()));
  children.push(child);
  return Object.assign(child, { said });
}

interface Lease {
  readonly holder: string;
  readonly epoch: number;
  readonly live: boolean;
}
const lease = async (): Promise<Lease | undefined> => {
  const [row] = await database.sql<Lease[]>`select holder, epoch, expires_at > clock_timestamp() as live from leases`;
  return row;
};
const led = (epoch: number, limitMs: number) =>
  until(
    `epoch ${epoch}`,
    async () => {
      const row = await lease();
      return row?.live && row.epoch === epoch && row;
    },
    limitMs,
  );
const pidOf = (row: Lease) => Number(row.holder.split(":").at(-1));

test("a killed, a frozen and a stopped leader are each replaced in time, and no slot is lost or fired twice (SCH-7, B36, B37)", async () => {
  const ctx = testCtx(database.db);
  const { pipelineId } = await publishTimed(ctx, (await makeProject(ctx)).id, "ticking", [
    { name: "often", cron: "* * * * * *", timezone: "UTC", overlap: "allow", misfire: "all" },
  ]);
  const ledger = () => database.db.select().from(fires).where(eq(fires.pipelineId, pipelineId)).orderBy(asc(fires.fireAt));
  const fired = (epoch: number) =>
    until(`a fire of epoch ${epoch}`, async () => (await ledger()).some((line) => line.epoch === epoch), 5_000);
  const processOf = (row: Lease) => {
    const found = children.find((child) => child.pid === pidOf(row)) as ReturnType<typeof startProcess> | undefined;
    if (!found) throw new Error(`no process ${row.holder}`);
    return found;
  };
  for (let n = 0; n < 3; n++) startProcess();

  const first = await led(1, 30_000);
  await fired(1);
  const killedAt = performance.now();
  processOf(first).kill("SIGKILL");
  const second = await led(2, 9_000);
  expect(performance.now() - killedAt).toBeLessThan(9_000);
  await fired(2);

  const frozen = processOf(second);
  const frozenAt = performance.now();
  frozen.kill("SIGSTOP");
  const third = await led(3, 9_000);
  expect(performance.now() - frozenAt).toBeLessThan(9_000);
  await fired(3);
  frozen.kill("SIGCONT");
  await until("the woken one stands by", async () => frozen.said.join("").includes("term ended"), 5_000);
  expect(await lease()).toMatchObject({ epoch: 3, live: true, holder: third.holder });

  const stoppedAt = performance.now();
  processOf(third).kill("SIGTERM");
  const fourth = await led(4, 2_000);
  expect(performance.now() - stoppedAt).toBeLessThan(2_000);
  expect(pidOf(fourth)).toBe(frozen.pid);
  await fired(4);

  const lines = await ledger();
  const gaps = lines.slice(1).map((line, n) => line.fireAt.getTime() - (lines[n]?.fireAt.getTime() ?? 0));
  expect(gaps.filter((gap) => gap !== 1_000)).toEqual([]);
  expect(lines.every(({ duplicatesRefused, runId }) => duplicatesRefused === 0 && runId !== null)).toBe(true);
  const written =
    await database.sql`select epoch, min(created_at) as first, max(created_at) as last from fires group by epoch order by epoch`;
  for (const [n, row] of written.entries()) expect(n === 0 || row.first > written[n - 1]?.last).toBe(true);
}, 120_000);
