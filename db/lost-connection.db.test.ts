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

  it("ends no process where the server ends a connection that is still learning its types (RUN-7)", async () => {
    const fresh = postgres(scratch.url, { max: 1, backoff: () => 0, onnotice: () => undefined });
    const thrown: unknown[] = [];
    const note = (error: unknown) => void thrown.push(error);
    process.on("unhandledRejection", note);
    try {
      // The types are learned before anything is asked; the lock holds the new connection there.
      let asked: Promise<unknown> = Promise.resolve();
      await other.begin(async (tx) => {
        await tx`lock table pg_catalog.pg_type in access exclusive mode`;
        asked = fresh`select 5 as five`.catch(() => "refused");
        for (let ended = 0; ended === 0; ) {
          await tx`select pg_stat_clear_snapshot()`;
          const rows =
            await tx`select pg_terminate_backend(pid) from pg_stat_activity where query like '%typarray%' and pid <> pg_backend_pid()`;
          ended = rows.length;
        }
      });
      expect(await asked).toBe("refused");
      // What is asked before the end has arrived is refused too; the next question dials anew.
      expect(await fresh`select 6 as six`.catch(() => fresh`select 6 as six`)).toEqual([{ six: 6 }]);
      expect(thrown).toEqual([]);
    } finally {
      process.off("unhandledRejection", note);
      await fresh.end({ timeout: 1 });
    }
  });

  it("is held by the mended driver: the installed files carry the mend", () => {
    expect(readFileSync("node_modules/postgres/src/index.js", "utf8")).toContain("reject(lost = e)");
    expect(readFileSync("node_modules/postgres/src/connection.js", "utf8")).toContain("if (socket === null)\n      return queryError");
    expect(readFileSync("node_modules/postgres/src/connection.js", "utf8")).toContain("return fetchArrayTypes().catch(");
  });
});
