import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { holdFence } from "@/db/statements/fence";
import { acquireLeaseIfFree } from "@/db/statements/lease-acquire";
import { renewLeaseIfHeld } from "@/db/statements/lease-renew";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { until } from "@/db/testing/wait";
import type { Log } from "@/server/engine/context";
import { openLeaderPool } from "@/server/engine/leadership/leader-pool";
import { type LeaseStore, openLeaseStore } from "@/server/engine/leadership/lease-store";
import type { LeaseTiming } from "@/server/engine/leadership/lease-timing";
import { Elector, type ElectorOptions } from "./leader";
import type { Term } from "./term";
import { within } from "./within";

const quiet: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const TIMING: LeaseTiming = { ttlMs: 900, renewEveryMs: 200, tryEveryMs: 50, marginMs: 200, answerWithinMs: 400 };
const boot = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`;
const ended = (term: Term) => new Promise<void>((resolve) => term.signal.addEventListener("abort", () => resolve()));

let db: TestDatabase;
let started: Elector[] = [];

beforeAll(async () => {
  db = await openTestDatabase();
});
beforeEach(async () => {
  await Promise.all(started.map((elector) => elector.stop()));
  started = [];
  await db.sql`delete from leases`;
});
afterAll(async () => {
  await Promise.all(started.map((elector) => elector.stop()));
  await db.close();
});

const owner = (n: number) => ({ name: "scheduler", holder: `scheduler-${n}`, bootId: boot(n) });
const storeOf = (n: number, timing = TIMING): LeaseStore => openLeaseStore({ url: db.url, owner: owner(n), timing, within });

interface Seen {
  readonly gained: number[];
  readonly lost: string[];
  readonly resigned: number[];
  readonly failures: unknown[];
}

function candidate(n: number, changes: Partial<ElectorOptions> = {}): { elector: Elector; seen: Seen } {
  const seen: Seen = { gained: [], lost: [], resigned: [], failures: [] };
  const elector = new Elector({
    store: storeOf(n),
    timing: TIMING,
    log: quiet,
    monotonicMs: () => performance.now(),
    lead: ended,
    report: () => ({ from: n }),
    onDatabaseTime: () => {},
    onFailure: (error) => seen.failures.push(error),
    signals: {
      gained: (epoch) => seen.gained.push(epoch),
      lost: (_, why) => seen.lost.push(why),
      resigned: (epoch) => seen.resigned.push(epoch),
    },
    ...changes,
  });
  started.push(elector);
  return { elector, seen };
}

const lease = async () => (await db.sql`select holder, epoch, report, expires_at > clock_timestamp() as live from leases`)[0];

describe("the lease row", () => {
  test("three takers at once on an empty table: one leader (B38, SCH-7)", async () => {
    for (let round = 0; round < 20; round++) {
      await db.sql`delete from leases`;
      const others = [1, 2, 3].map(() => db.db);
      const grants = await Promise.all(others.map((each, n) => acquireLeaseIfFree(each, owner(n), 5_000)));
      expect(grants.filter((grant) => grant !== null).map((grant) => grant?.epoch)).toEqual([1]);
    }
  });

  test("three takers at once of a lease that ran out: one leader, one epoch further", async () => {
    await acquireLeaseIfFree(db.db, owner(9), 5_000);
    for (let round = 2; round < 22; round++) {
      await db.sql`update leases set expires_at = clock_timestamp() - interval '1 second'`;
      const grants = await Promise.all([1, 2, 3].map((n) => acquireLeaseIfFree(db.db, owner(n), 5_000)));
      expect(grants.flatMap((grant) => (grant ? [grant.epoch] : []))).toEqual([round]);
    }
  });

  test("a renewal of another boot, of an older epoch or after the end is refused", async () => {
    await acquireLeaseIfFree(db.db, owner(1), 5_000);
    expect(await renewLeaseIfHeld(db.db, owner(1), 1, 5_000, {})).not.toBeNull();
    expect(await renewLeaseIfHeld(db.db, { ...owner(1), bootId: boot(2) }, 1, 5_000, {})).toBeNull();
    expect(await renewLeaseIfHeld(db.db, owner(1), 0, 5_000, {})).toBeNull();
    await db.sql`update leases set expires_at = clock_timestamp() - interval '1 millisecond'`;
    expect(await renewLeaseIfHeld(db.db, owner(1), 1, 5_000, {})).toBeNull();
  });

  test("neither a renewal nor a standby's try waits for a fence, and a take-over does", async () => {
    const other = db.another({ lock_timeout: 150 });
    await acquireLeaseIfFree(db.db, owner(1), 60_000);
    await db.db.transaction(async (tx) => {
      await tx.execute(sql`select from leases where name = 'scheduler' and epoch = 1 for key share`);
      expect(await renewLeaseIfHeld(other.db, owner(1), 1, 60_000, {})).not.toBeNull();
      expect(await acquireLeaseIfFree(other.db, owner(2), 60_000)).toBeNull();
      await other.sql`update leases set expires_at = clock_timestamp() - interval '1 second'`;
      await expect(acquireLeaseIfFree(other.db, owner(2), 60_000)).rejects.toThrow();
    });
    expect((await acquireLeaseIfFree(other.db, owner(2), 60_000))?.epoch).toBe(2);
  });
});

describe("a leader that is frozen inside a fenced transaction", () => {
  test("holds up its successor for little more than two seconds (SCH-7)", async () => {
    const pool = openLeaderPool(db.url, 1);
    await acquireLeaseIfFree(db.db, owner(1), 60_000);
    let thaw = () => {};
    const frozen = pool.db.transaction(async (tx) => {
      expect(await holdFence(tx, { name: "scheduler", epoch: 1 })).toBe(true);
      await new Promise<void>((resolve) => {
        thaw = resolve;
      });
      await tx.execute(sql`insert into settings (key, value) values ('written by a stale leader', '1')`);
    });
    const outcome = frozen.catch((error: unknown) => error);
    await until(
      "the fence is held",
      async () => (await db.sql`select from pg_stat_activity where state = 'idle in transaction'`).length > 0,
    );
    await db.sql`update leases set expires_at = clock_timestamp() - interval '1 second'`;
    const from = performance.now();
    const successor = db.another({ lock_timeout: 1_000 });
    const grant = await until("the successor has the lease", () => acquireLeaseIfFree(successor.db, owner(2), 60_000).catch(() => null));
    expect(grant.epoch).toBe(2);
    expect(performance.now() - from).toBeLessThan(3_500);
    thaw();
    expect(await outcome).toBeInstanceOf(Error);
    expect(await db.sql`select from settings where key = 'written by a stale leader'`).toHaveLength(0);
    await pool.close();
  });
});

describe("the elector", () => {
  test("one of three leads, and its lease row carries its report", async () => {
    const all = [1, 2, 3].map((n) => candidate(n));
    for (const { elector } of all) elector.start();
    await until("one leads", async () => all.some(({ elector }) => elector.leading()));
    const before = await lease();
    await until("the leader has renewed", async () => Object.keys((await lease())?.report ?? {}).length > 0);
    expect(all.flatMap(({ seen }) => seen.gained)).toEqual([before?.epoch]);
  });

  test("a stopped leader resigns, and a standby leads within the two seconds of a hand-over", async () => {
    const slowStandby = { ...TIMING, tryEveryMs: 5_000 };
    const first = candidate(1);
    first.elector.start();
    await until("the first leads", async () => first.elector.leading());
    const second = candidate(2, { timing: slowStandby });
    let tries = 0;
    const third = candidate(3, { timing: slowStandby, signals: { standby: () => tries++ } });
    second.elector.start();
    third.elector.start();
    await until("a standby has tried", async () => tries > 0);
    const from = performance.now();
    await first.elector.stop();
    await until("a standby leads", async () => second.elector.leading() ?? third.elector.leading());
    expect(performance.now() - from).toBeLessThan(2_000);
    expect(first.seen.resigned).toEqual([1]);
  });

  test("a leader whose renewals are not answered stops by its own clock, before its lease runs out", async () => {
    const store = storeOf(1);
    const silent: LeaseStore = { ...store, renew: () => within(new Promise(() => {}), TIMING.answerWithinMs, "renewing") };
    const { elector, seen } = candidate(1, { store: silent });
    elector.start();
    await until("it leads", async () => elector.leading());
    await until("it has stopped", async () => seen.lost.length > 0);
    expect((await lease())?.live).toBe(true);
    expect(seen.lost[0]).toMatch(/renewals failed/);
  });

  test("a leader whose row was taken over stands down at its next renewal", async () => {
    const { elector, seen } = candidate(1);
    elector.start();
    await until("it leads", async () => elector.leading());
    await db.sql`update leases set holder = 'another', boot_id = ${boot(8)}, epoch = epoch + 1, expires_at = clock_timestamp() + interval '1 hour'`;
    await until("it has stood down", async () => seen.lost.length > 0);
    expect(elector.leading()).toBeNull();
    expect(await lease()).toMatchObject({ holder: "another", epoch: 2, live: true });
  });

  test("flapping starts each term with a new epoch and its own work (B33)", async () => {
    const terms: Term[] = [];
    const { elector } = candidate(1, {
      lead: (term) => {
        terms.push(term);
        return ended(term);
      },
    });
    elector.start();
    for (let flap = 1; flap <= 10; flap++) {
      await until(`term ${flap} leads`, async () => terms.length === flap && elector.leading());
      await db.sql`update leases set expires_at = clock_timestamp() - interval '1 second'`;
    }
    await until("an eleventh term", async () => terms.length === 11);
    expect(terms.map((term) => term.epoch)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(terms.slice(0, 10).every((term) => term.signal.aborted && !term.trusted())).toBe(true);
  });

  test("a leader whose work fails gives up the lease and says so (B43)", async () => {
    const { elector, seen } = candidate(1, {
      lead: async () => {
        throw new Error("a duty cannot start");
      },
      onFailure: (error) => {
        seen.failures.push(error);
        void elector.stop();
      },
    });
    elector.start();
    await until("it resigned", async () => seen.resigned.length > 0);
    expect(seen.failures).toHaveLength(1);
    expect((await lease())?.live).toBe(false);
  });
});
