import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { until } from "@/db/testing/wait";
import { within } from "@/workers/scheduler/within";
import { openLeaseStore } from "./lease-store";
import { LEADER_SESSIONS, LEASE_TIMING, SCHEDULER_LEASE, SCHEDULER_SETTINGS } from "./lease-timing";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

/** What the driver's client has and does not show: the messages of a statement, one by one. */
interface Wire {
  parse(statement: { readonly text: string; readonly name: string; readonly types: readonly number[] }): void;
  describe(what: { readonly type: "S"; readonly name: string }): void;
  flush(): void;
  removeAllListeners(event: string): void;
}

test("a leader that was frozen between the two halves of a statement, its fence held, is succeeded in time (SCH-7, F2)", async () => {
  const owner = (holder: string) => ({ name: SCHEDULER_LEASE, holder, bootId: "00000000-0000-7000-8000-000000000001" });
  const storeOf = (holder: string) => openLeaseStore({ url: database.url, owner: owner(holder), timing: LEASE_TIMING, within });
  const [first, second] = [storeOf("first"), storeOf("second")];
  const frozen = new Client({ connectionString: database.url, application_name: LEADER_SESSIONS });
  frozen.on("error", () => undefined);
  try {
    const grant = await first.acquire();
    expect(grant?.epoch).toBe(1);
    await frozen.connect();
    for (const [name, ms] of Object.entries(SCHEDULER_SETTINGS)) await frozen.query(`set ${name} = ${ms}`);
    await frozen.query("begin");
    await frozen.query("select 1 from leases where epoch = 1 for key share");
    const { connection } = frozen as unknown as { connection: Wire };
    for (const event of ["parseComplete", "rowDescription"]) connection.removeAllListeners(event);
    // Said, and described by the server; what would execute it never comes.
    connection.parse({ text: "select $1::int", name: "", types: [] });
    connection.describe({ type: "S", name: "" });
    connection.flush();
    await until("the server takes it for active", async () => {
      const [row] = await database.sql`select state from pg_stat_activity where application_name = ${LEADER_SESSIONS}`;
      return row?.state === "active";
    });
    await database.sql`update leases set expires_at = clock_timestamp()`;
    const fromMs = performance.now();
    const taken = await until("another leads", () => second.acquire().catch(() => null), 20_000);
    expect(taken.epoch).toBe(2);
    // One try waits for the lock and gives up after a second; the next has the way free.
    expect(performance.now() - fromMs).toBeLessThan(3_000);
  } finally {
    await Promise.all([first.close(), second.close(), frozen.end().catch(() => undefined)]);
  }
});
