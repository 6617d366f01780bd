// Keeps the embedded PostgreSQL: starts it, brings it back when it dies, stops it when the supervisor ends.
import { startOwnPostgres } from "@/server/own-postgres";
import { loopService, runServices } from "@/workers/service";

const LOOK_EVERY_MS = 250;
const elsewhere = process.argv[2];

const keeper = loopService({
  name: "postgres",
  run: async (signal, ready) => {
    while (!signal.aborted) {
      const server = await startOwnPostgres(elsewhere);
      const { url, pid, port, folder, adopted } = server;
      process.send?.({ kind: "postgres", url, pid, port, folder, adopted });
      console.log(`PostgreSQL ${adopted ? "runs already" : "runs"} on port ${port}, data in ${folder}`);
      ready();
      await untilGone(server.isAlive, signal);
      if (signal.aborted) await server.stop(1_000);
      else console.error("PostgreSQL has gone; starting it again");
    }
  },
});

await runServices([keeper], {
  graceMs: 3_500,
  onFailure: (_service, error) => console.error(error instanceof Error ? error.message : error),
});

async function untilGone(isAlive: () => boolean, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      if (!isAlive()) end();
    }, LOOK_EVERY_MS);
    const end = () => {
      clearInterval(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) end();
  });
}
