import { openLeaderPool } from "@/server/engine/leadership/leader-pool";
import { openRuntime } from "@/server/runtime";
import { leaderDuties } from "@/workers/scheduler/leader-duties";
import type { Term } from "@/workers/scheduler/term";
import { createWheelLoop } from "@/workers/scheduler/wheel-loop";
import { loopService, runServices } from "@/workers/service";

/**
 * A scheduler that leads without asking: it takes itself for the leader of the epoch that it is given, whatever the lease
 * says. With the real leader's epoch the fence lets it through, and unique keys and tokens alone stand between it and a double.
 */
const runtime = await openRuntime({ name: "scheduler" });
const ctx = runtime.systemCtx();
const epoch = Number(process.env.CHAOS_EPOCH);

const rogue = loopService({
  name: "rogue scheduler",
  run: async (signal, ready) => {
    const loop = createWheelLoop({
      ctx,
      openPool: () => openLeaderPool(runtime.env.databaseUrl ?? ""),
      dutiesOf: leaderDuties(ctx.clock),
    });
    const term: Term = { epoch, signal, trusted: () => !signal.aborted };
    ready();
    await loop.lead(term).catch((error: unknown) => ctx.log.warn({ err: error }, "the rogue was refused"));
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  },
});

await runServices([rogue], { close: () => runtime.close() });
