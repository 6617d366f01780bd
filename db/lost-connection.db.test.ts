import { readFileSync } from "node:fs";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startScratchPostgres } from "./embedded";

let scratch: Awaited<ReturnType<typeof startScratchPostgres>>;
let pool: postgres.Sql;
let other: postgres.Sql;

beforeAll(async () => {
  scratch = await startScratchPostgres();
  pool = postgres(scratch.url, { max: 1, backoff: () => 0, onnotice: () => undefined });
  other = postgres(scratch.url, { max: 1, onnotice: () => undefined });
  await other`create table written (by_whom text)`;
});

afterAll(async () => {
  await pool.end({ timeout: 1 });
  await other.end({ timeout: 1 });
  await scratch.stop();
});

function outcome() {
  let resolve: (value: unknown) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

async function killBackendOf(tx: postgres.TransactionSql): Promise<void> {
  const [row] = await tx`select pg_backend_pid() as pid`;
  await other`select pg_terminate_backend(${row?.pid}, 5000)`;
}

describe("a connection that is lost inside a transaction", () => {
  it("rejects the transaction instead of ending the process, and the pool goes on (RUN-7)", async () => {
    const lost = pool.begin(async (tx) => {
      await killBackendOf(tx);
      return tx`select 1`;
    });
    await expect(lost).rejects.toMatchObject({ code: expect.stringMatching(/CONNECTION_CLOSED|57P01/) });
    expect(await pool`select 2 as two`).toEqual([{ two: 2 }]);
  });

  it("never runs a statement of the dead transaction on the connection that came after it (IDM-4)", async () => {
    const late = outcome();
    const lost = pool.begin(async (tx) => {
      await killBackendOf(tx);
      // Somebody else has the reconnected connection before the dead transaction says its next statement.
      await pool`select 3 as three`;
      await tx`insert into written values ('dead transaction')`.then(late.resolve, late.reject);
    });
    await expect(lost).rejects.toThrow();
    await expect(late.promise).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
    expect(await other`select * from written`).toEqual([]);
  });

  it("is held by the mended driver: the installed files carry the mend", () => {
    expect(readFileSync("node_modules/postgres/src/index.js", "utf8")).toContain("reject(lost = e)");
    expect(readFileSync("node_modules/postgres/src/connection.js", "utf8")).toContain("if (socket === null)\n      return queryError");
  });
});
