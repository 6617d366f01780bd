import { readEnv } from "@/server/env";
import { loopService, runServices } from "@/workers/service";
import { createDemoService } from "./server";

const { demoPort } = readEnv();
if (demoPort === undefined) throw new Error("APOLLO_DEMO_PORT is not set; `npm start` sets it when the demo is on");

const demo = loopService({
  name: "demo service",
  run: async (signal, ready) => {
    const server = createDemoService();
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(demoPort, "127.0.0.1", resolve);
    });
    ready();
    await new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    });
  },
});

await runServices([demo]);
