import { existsSync } from "node:fs";
import { availableParallelism, hostname } from "node:os";
import { fileURLToPath } from "node:url";
import { inheritedEnvironment, readEnv } from "@/server/env";
import { openRuntime } from "@/server/runtime";
import { runServices } from "@/workers/service";
import { createRunner } from "./runner";

const env = readEnv();
const runtime = await openRuntime({ name: "worker", listeners: env.workerGroups.length });
const place = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const isBundled = existsSync(place("./child.mjs"));
const nameOf = (host: string) =>
  host
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 64) || "worker";
const demoHandlers = place(isBundled ? "./handlers-demo" : "../handlers-demo");

const runner = createRunner({
  ctx: runtime.systemCtx(),
  renewPool: (dead) => runtime.renewPool(dead),
  clockOffsetMs: () => runtime.clockOffsetMs(),
  openLane: (purpose) => runtime.lane(purpose),
  id: env.workerId ?? nameOf(hostname()),
  groups: env.workerGroups,
  slots: env.workerSlots,
  dataDir: env.dataDir,
  drainMs: env.drainSeconds * 1_000,
  inherited: inheritedEnvironment(),
  handlers: {
    entry: place(isBundled ? "./child.mjs" : "./child.ts"),
    execArgv: isBundled ? ["--enable-source-maps"] : ["--import", "tsx"],
    folders: [env.handlersDir, ...(env.demo ? [demoHandlers] : [])],
    processes: availableParallelism(),
  },
});

await runServices([runner], {
  close: () => runtime.close(),
  graceMs: env.drainSeconds * 1_000 + 15_000,
  onFailure: (service, error) => runtime.log.error({ err: error, service }, "the worker ends"),
});
