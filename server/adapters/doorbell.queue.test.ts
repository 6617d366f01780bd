import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { until } from "@/db/testing/wait";
import type { Doorbell, Listening } from "@/server/engine/ports";
import { openBullDoorbell } from "./doorbell-bullmq";
import { memoryDoorbell } from "./doorbell-memory";

interface Plug {
  readonly name: string;
  /** Another process on the same queue, where there is such a thing. */
  open(): Promise<Doorbell>;
  lose: readonly { readonly how: string; readonly run: () => Promise<void> }[];
  readonly isShared: boolean;
}

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
let database: TestDatabase;
let redis: Redis;
beforeAll(async () => {
  database = await openTestDatabase();
  redis = new Redis(inject("redisUrl"));
});
afterAll(async () => {
  redis.disconnect();
  await database.close();
});

const tables = ["job", "dedup", "dedup_next", "event"];
const truncate =
  (...names: string[]) =>
  async () => {
    await database.sql.unsafe(`truncate ${names.map((name) => `bullmq.${name}`).join(", ")} cascade`);
  };
const PLUGS: readonly Plug[] = [
  { name: "memory", open: async () => memoryDoorbell(), lose: [], isShared: false },
  {
    name: "Redis",
    open: () => openBullDoorbell({ redisUrl: inject("redisUrl"), databaseUrl: database.url, listeners: 2, log: quiet }),
    lose: [{ how: "FLUSHALL", run: async () => void (await redis.flushall()) }],
    isShared: true,
  },
  {
    name: "PostgreSQL",
    open: () => openBullDoorbell({ redisUrl: undefined, databaseUrl: database.url, listeners: 2, log: quiet }),
    lose: [
      { how: "TRUNCATE of its tables", run: truncate(...tables) },
      { how: "TRUNCATE of its jobs alone", run: truncate("job") },
    ],
    isShared: true,
  },
];

describe.each(PLUGS)("doorbells on $name", (plug) => {
  const open: Doorbell[] = [];
  const doorbell = async () => {
    const made = await plug.open();
    open.push(made);
    return made;
  };
  let groups = 0;
  const newGroup = () => `g${++groups}-${plug.name.toLowerCase()}`;
  afterEach(async () => {
    await Promise.all(open.splice(0).map((each) => each.close()));
  });
  const counting = async (bell: Doorbell, group: string) => {
    const counter = { rings: 0, ear: undefined as Listening | undefined };
    counter.ear = await bell.listen([group], async () => {
      counter.rings++;
    });
    return counter;
  };
  const answered = (counter: { rings: number }, least: number) => until(`${least} answers`, async () => counter.rings >= least, 20_000);

  test("a ring wakes an idle listener (RUN-4)", async () => {
    const bell = await doorbell();
    const group = newGroup();
    const heard = await counting(bell, group);
    await bell.ring([group]);
    await answered(heard, 1);
  });

  test("a ring before anybody listens is heard by the first who does (IDM-4)", async () => {
    const bell = await doorbell();
    const group = newGroup();
    await bell.ring([group]);
    expect(await bell.depth(group)).toBe(1);
    await answered(await counting(bell, group), 1);
  });

  test("what waits to be heard is taken out with its count, and the next ring is heard as ever (RUN-12)", async () => {
    const group = newGroup();
    const bell = await doorbell();
    await bell.ring([group]);
    expect([await bell.purge(group), await bell.depth(group), await bell.purge(group)]).toEqual([1, 0, 0]);
    let heard = 0;
    await bell.listen([group], async () => void heard++);
    await bell.ring([group]);
    await until("it is heard", async () => heard === 1, 5_000);
  });

  test("a ring reaches only its group (RUN-4)", async () => {
    const bell = await doorbell();
    const [mine, other] = [newGroup(), newGroup()];
    const [heard, unheard] = [await counting(bell, mine), await counting(bell, other)];
    await bell.ring([mine]);
    await answered(heard, 1);
    expect(unheard.rings).toBe(0);
  });

  test("a ring while one is being answered is not lost (IDM-4)", async () => {
    const bell = await doorbell();
    const group = newGroup();
    let rings = 0;
    const gate: { open?: () => void } = {};
    await bell.listen([group], () => {
      rings++;
      return rings > 1
        ? Promise.resolve()
        : new Promise<void>((resolve) => {
            gate.open = resolve;
          });
    });
    await bell.ring([group]);
    await until("the first answer is under way", async () => gate.open);
    await bell.ring([group]);
    gate.open?.();
    await until("the second answer", async () => rings === 2, 20_000);
  });

  test("200 rings collapse into a few answers, and the last of them is answered (IDM-4)", async () => {
    const bell = await doorbell();
    const group = newGroup();
    await Promise.all(Array.from({ length: 200 }, () => bell.ring([group])));
    expect(await bell.depth(group)).toBeLessThanOrEqual(2);
    const heard = await counting(bell, group);
    await until("the queue is empty", async () => heard.rings > 0 && (await bell.depth(group)) === 0, 20_000);
    expect(heard.rings).toBeLessThanOrEqual(2);
  });

  test("a listener that fails to answer hears the next ring (IDM-4)", async () => {
    const bell = await doorbell();
    const group = newGroup();
    let rings = 0;
    await bell.listen([group], async () => {
      rings++;
      throw new Error("a text with a NUL \u0000 that no queue could store");
    });
    await bell.ring([group]);
    await until("the first", async () => rings === 1, 20_000);
    await until("it is done with", async () => (await bell.depth(group)) === 0, 20_000);
    await bell.ring([group]);
    await until("the second", async () => rings === 2, 20_000);
  });

  test("a listener without a free slot pauses, and another one answers (WRK-2)", async () => {
    const bell = await doorbell();
    const second = plug.isShared ? await doorbell() : bell;
    const group = newGroup();
    const busy = await counting(bell, group);
    const idle = await counting(second, group);
    busy.ear?.pause();
    // A ring that was being fetched when the pause came may still be answered; after it, none is.
    await bell.ring([group]);
    await until("an answer", async () => busy.rings + idle.rings >= 1, 20_000);
    const before = busy.rings;
    for (let ring = 1; ring <= 5; ring++) {
      const heard = idle.rings;
      await bell.ring([group]);
      await until("the idle one answers", async () => idle.rings > heard, 20_000);
    }
    expect(busy.rings).toBe(before);
    idle.ear?.pause();
    busy.ear?.resume();
    await bell.ring([group]);
    await bell.ring([group]);
    await answered(busy, before + 1);
  });

  test("closing waits for the answer under way and hears nothing more (WRK-4)", async () => {
    const bell = await doorbell();
    const group = newGroup();
    const gate: { open?: () => void } = {};
    let rings = 0;
    const ear = await bell.listen([group], () => {
      rings++;
      return new Promise<void>((resolve) => {
        gate.open = resolve;
      });
    });
    await bell.ring([group]);
    await until("the answer is under way", async () => gate.open);
    const closed = ear.close();
    gate.open?.();
    await closed;
    await bell.ring([group]);
    expect(rings).toBe(1);
    expect(await bell.depth(group)).toBe(1);
  });

  test.each(plug.lose)("after $how the next rings are heard again (IDM-4)", async ({ run }) => {
    const bell = await doorbell();
    const group = newGroup();
    const heard = await counting(bell, group);
    await bell.ring([group]);
    await answered(heard, 1);
    heard.ear?.pause();
    await bell.ring([group]);
    await run();
    heard.ear?.resume();
    const before = heard.rings;
    await until(
      "an answer after the loss",
      async () => {
        await bell.ring([group]);
        return heard.rings > before;
      },
      20_000,
    );
  });
});

describe.each(PLUGS.filter((plug) => plug.isShared))("doorbells of two processes on $name", (plug) => {
  test("no ring is lost between them (IDM-4)", async () => {
    const [one, two] = [await plug.open(), await plug.open()];
    const group = `both-${plug.name.toLowerCase()}`;
    let rings = 0;
    const onRing = async () => {
      rings++;
    };
    await one.listen([group], onRing);
    await two.listen([group], onRing);
    for (let ring = 0; ring < 20; ring++) {
      const before = rings;
      await (ring % 2 ? one : two).ring([group]);
      await until("an answer", async () => rings > before, 20_000);
    }
    await Promise.all([one.close(), two.close()]);
  });
});
