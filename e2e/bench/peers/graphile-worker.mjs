import { Logger, makeWorkerUtils, run } from "graphile-worker";
import pg from "pg";
import { untilZero } from "./settled.mjs";

const quiet = () => new Logger(() => () => {});

async function prepare({ url }) {
  const utils = await makeWorkerUtils({ connectionString: url, logger: quiet() });
  await utils.migrate();
  await utils.release();
}

async function open({ url }) {
  const utils = await makeWorkerUtils({ connectionString: url, maxPoolSize: 20, logger: quiet() });
  const client = new pg.Client(url);
  await client.connect();
  return {
    submit: (runNo) => utils.addJob("one", { run: runNo, v: 1 }),
    bulk: (runs) => utils.addJobs(runs.map((runNo) => ({ identifier: "one", payload: { run: runNo, v: 1 } }))),
    chain: (runNo, length) => utils.addJob("chain", { run: runNo, step: 0, length }),
    delay: (runNo, dueMs) => utils.addJob("one", { run: runNo, v: 1 }, { runAt: new Date(dueMs) }),
    // It deletes what is done.
    settled: () => untilZero(client, "select count(*)::int as left from graphile_worker._private_jobs"),
  };
}

/** Tuned: jobs are fetched 200 at a time into the process, and completed together. */
async function work({ url, slots, steps }) {
  const preset = {
    worker: {
      connectionString: url,
      concurrentJobs: slots,
      maxPoolSize: 20,
      logger: quiet(),
      localQueue: { size: 200 },
      completeJobBatchDelay: 0,
    },
  };
  const runner = await run({
    preset,
    noHandleSignals: true,
    taskList: {
      one: async (payload) => steps.start(payload.run, 0),
      chain: async (payload, helpers) => {
        steps.start(payload.run, payload.step);
        if (payload.step < payload.length - 1) await helpers.addJob("chain", { ...payload, step: payload.step + 1 });
      },
    },
  });
  runner.events.on("job:complete", ({ job, error }) => {
    if (error) console.error(error);
    const { payload } = job;
    if (payload.length === undefined || payload.step === payload.length - 1) steps.done(payload.run);
  });
}

export const peer = { rows: ["one", "bulk", "chain", "step", "pickup", "timer"], prepare, open, work };
