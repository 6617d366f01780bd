import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { Agent, request } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import * as restate from "@restatedev/restate-sdk";

const SERVER = fileURLToPath(new URL("./node_modules/@restatedev/restate-server-linux-x64/bin/restate-server", import.meta.url));

const freePort = () =>
  new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });

/** Its own server with its own store, default settings; it ends when this process does. */
async function prepare() {
  const [ingress, admin, node, steps] = [await freePort(), await freePort(), await freePort(), await freePort()];
  const folder = mkdtempSync(join(tmpdir(), "bench-restate-"));
  const script = '"$1" --base-dir "$2" >"$2/server.log" 2>&1 & read -r _; kill $!; wait $!; rm -rf "$2"';
  const shell = spawn("/bin/sh", ["-c", script, "restate", SERVER, folder], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
    env: {
      ...process.env,
      RESTATE_DISABLE_TELEMETRY: "true",
      RESTATE_LOG_FILTER: "error",
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
      RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
    },
  });
  const gone = new Promise((resolve) => shell.once("exit", resolve));
  const stop = async () => {
    shell.stdin.end();
    await gone;
  };
  return { ingress, admin, steps, stop };
}

/** Registers the endpoint of the steps, and then submits through the ingress. */
async function open({ ground: { ingress, admin, steps } }) {
  const body = JSON.stringify({ uri: `http://127.0.0.1:${steps}`, force: true });
  for (let tries = 0; ; tries++) {
    const answer = await fetch(`http://127.0.0.1:${admin}/deployments`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    }).catch((error) => ({ ok: false, text: () => String(error) }));
    if (answer.ok) break;
    if (tries > 100) throw new Error(await answer.text());
    await pause(200);
  }
  await pause(500);
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const send = (path, input) =>
    new Promise((resolve, reject) => {
      const options = { method: "POST", agent, headers: { "content-type": "application/json" } };
      const asked = request(`http://127.0.0.1:${ingress}/bench/${path}`, options, (answer) => {
        answer.resume();
        answer.on("end", () => (answer.statusCode < 300 ? resolve() : reject(new Error(`${path}: ${answer.statusCode}`))));
      });
      asked.on("error", reject);
      asked.end(JSON.stringify(input));
    });
  return {
    submit: (run) => send("one/send", { run }),
    chain: (run, length) => send("chain/send", { run, length }),
    fan: (run, width) => send("fan/send", { run, width }),
    delay: (run, dueMs) => send(`one/send?delay=${Math.max(0, Math.round(dueMs - Date.now()))}ms`, { run }),
  };
}

async function work({ ground, steps }) {
  const step = (ctx, run, no) =>
    ctx.run("step", () => {
      steps.start(run, no);
      return { v: 1 };
    });
  const service = restate.service({
    name: "bench",
    handlers: {
      one: async (ctx, { run }) => {
        await step(ctx, run, 0);
        steps.done(run);
        return { v: 1 };
      },
      chain: async (ctx, { run, length }) => {
        for (let no = 0; no < length; no++) await step(ctx, run, no);
        steps.done(run);
        return { v: 1 };
      },
      fan: async (ctx, { run, width }) => {
        await step(ctx, run, 0);
        await restate.RestatePromise.all(Array.from({ length: width }, (_, index) => step(ctx, run, index + 1)));
        await step(ctx, run, width + 1);
        steps.done(run);
        return { v: 1 };
      },
    },
  });
  await restate.serve({ services: [service], port: ground.steps });
}

export const peer = { rows: ["one", "chain", "step", "fan", "pickup", "timer"], prepare, open, work };
