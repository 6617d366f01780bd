import { createServer, type IncomingMessage } from "node:http";
import { handleRest } from "@/server/api/http/rest";
import { addressBehind } from "@/server/api/request-address";
import { holdWorld } from "@/server/api/world";
import type { SignIn } from "@/server/engine/access/sign-in";
import { openRuntime } from "@/server/runtime";
import { loopService, runServices } from "@/workers/service";

/** The door for scripts of the web process, without its pages: nobody signs in to it, tokens alone open it. */
const NOBODY: SignIn = {
  handle: async () => new Response(null, { status: 404 }),
  findSession: async () => null,
  signIn: async () => new Response(null, { status: 404 }),
};

const runtime = await openRuntime({ name: "web" });
const { env, log } = runtime;
holdWorld({
  log,
  ids: runtime.ids,
  signIn: NOBODY,
  bootId: null,
  addressOf: addressBehind(0),
  stopping: new AbortController().signal,
  ctx: (principal, source) => runtime.ctx(principal, source),
});

async function asRequest(incoming: IncomingMessage): Promise<Request> {
  const parts: Buffer[] = [];
  for await (const part of incoming as AsyncIterable<Buffer>) parts.push(part);
  const headers = Object.entries(incoming.headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  const body = parts.length > 0 ? { body: Buffer.concat(parts) } : {};
  return new Request(`http://127.0.0.1:${env.port}${incoming.url ?? "/"}`, {
    method: incoming.method ?? "GET",
    headers: Object.fromEntries(headers) as Record<string, string>,
    ...body,
  });
}

const server = createServer((incoming, outgoing) => {
  void (async () => {
    const response = await handleRest(await asRequest(incoming));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(Buffer.from(await response.arrayBuffer()));
  })().catch((error: unknown) => {
    log.error({ err: error }, "a request broke");
    outgoing.destroy();
  });
});

const web = loopService({
  name: "web",
  run: async (signal, ready) => {
    await new Promise<void>((resolve) => server.listen(env.port, "127.0.0.1", resolve));
    ready();
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    server.closeAllConnections();
    server.close();
  },
});

await runServices([web], { close: () => runtime.close() });
