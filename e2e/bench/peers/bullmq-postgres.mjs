import * as bull from "bullmq";

const { Queue, Worker, FlowProducer } = bull.withBackend(bull.createPostgresBackend);
const connectionOf = (url) => ({ connectionString: url, migrate: true, max: 20 });

async function prepare({ url }) {
  const queue = new Queue("bench", { connection: connectionOf(url) });
  await queue.waitUntilReady();
  await queue.close();
}

async function open({ url }) {
  const connection = connectionOf(url);
  const queue = new Queue("bench", { connection });
  await queue.waitUntilReady();
  const flows = new FlowProducer({ connection });
  return {
    submit: (run) => queue.add("one", { run, last: true }),
    bulk: (runs) => queue.addBulk(runs.map((run) => ({ name: "one", data: { run, last: true } }))),
    chain: (run, length) => flows.add(chainOf(run, length)),
    fan: (run, width) => queue.add("root", { run, width }),
    delay: (run, dueMs) => queue.add("one", { run, last: true }, { delay: Math.max(0, dueMs - Date.now()) }),
  };
}

/** A flow is told from its last job back: each waits for its child. */
function chainOf(run, length) {
  let flow;
  for (let step = 0; step < length; step++) {
    flow = { name: "step", queueName: "bench", data: { run, step, last: step === length - 1 }, children: flow ? [flow] : undefined };
  }
  return flow;
}

async function work({ url, slots, steps }) {
  const connection = connectionOf(url);
  const flows = new FlowProducer({ connection });
  const worker = new Worker(
    "bench",
    async ({ name, data }) => {
      steps.start(data.run, data.step ?? 0);
      if (name === "root") await flows.add(fanOf(data));
      return { v: 1 };
    },
    { connection, concurrency: slots },
  );
  worker.on("error", (error) => console.error(error.message));
  worker.on("completed", ({ data }) => {
    if (data.last) steps.done(data.run);
  });
  await worker.waitUntilReady();
}

const fanOf = ({ run, width }) => ({
  name: "join",
  queueName: "bench",
  data: { run, last: true },
  children: Array.from({ length: width }, (_, index) => ({ name: "leaf", queueName: "bench", data: { run, step: index + 1 } })),
});

export const peer = { rows: ["one", "bulk", "chain", "step", "fan", "pickup", "timer"], prepare, open, work };
