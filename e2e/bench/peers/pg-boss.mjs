import pg from "pg";
import { PgBoss } from "pg-boss";
import { untilZero } from "./settled.mjs";

async function started(url) {
  const boss = new PgBoss({ connectionString: url, max: 20, useListenNotify: true, superviseIntervalSeconds: 60, flowIntervalSeconds: 1 });
  boss.on("error", (error) => console.error(error.message));
  await boss.start();
  return boss;
}

async function prepare({ url }) {
  const boss = await started(url);
  await boss.createQueue("bench", { notify: true });
  await boss.stop({ graceful: false });
}

async function open({ url }) {
  const boss = await started(url);
  const client = new pg.Client(url);
  await client.connect();
  return {
    submit: (run) => boss.send("bench", { run, last: true }),
    bulk: (runs) =>
      boss.insert(
        "bench",
        runs.map((run) => ({ data: { run, last: true } })),
      ),
    fan: (run, width) => {
      const leaves = Array.from({ length: width }, (_, index) => `leaf${index}`);
      return boss.flow([
        { ref: "root", name: "bench", data: { run, last: false } },
        ...leaves.map((ref) => ({ ref, name: "bench", data: { run, last: false }, dependsOn: ["root"] })),
        { ref: "join", name: "bench", data: { run, last: true }, dependsOn: leaves },
      ]);
    },
    delay: (run, dueMs) => boss.send("bench", { run, last: true }, { startAfter: new Date(dueMs) }),
    settled: () => untilZero(client, "select count(*)::int as left from pgboss.job where state <> 'completed' and name = 'bench'", 20),
  };
}

/** Tuned: LISTEN, batches of fifty, and at once again where a batch was full. */
async function work({ url, slots, steps }) {
  const boss = await started(url);
  const options = {
    batchSize: 50,
    localConcurrency: Math.max(1, Math.round(slots / 25)),
    burstWhenBatchFull: true,
    pollingIntervalSeconds: 0.5,
    notifyPollingIntervalSeconds: 0.5,
  };
  await boss.work("bench", options, async (jobs) => {
    for (const { data } of jobs) {
      steps.start(data.run, 0);
      if (data.last) steps.done(data.run);
    }
    return { v: 1 };
  });
}

export const peer = { rows: ["one", "bulk", "fan", "pickup", "timer"], prepare, open, work };
