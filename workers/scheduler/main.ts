import { hostname } from "node:os";
import { openRuntime } from "@/server/runtime";
import { runServices } from "@/workers/service";
import { createScheduler } from "./scheduler";

const runtime = await openRuntime({ name: "scheduler" });
const scheduler = createScheduler({
  databaseUrl: runtime.env.databaseUrl ?? "",
  ctx: runtime.systemCtx(),
  holder: `${hostname()}:${process.pid}`,
});

await runServices([scheduler], {
  close: () => runtime.close(),
  onFailure: (service, error) => runtime.log.error({ err: error, service }, "the scheduler ends"),
});
