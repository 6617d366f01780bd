import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Control } from "./control";
import { Effects } from "./effects";

interface Call {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly key: string | undefined;
  readonly body: unknown;
}

type Answer = Readonly<Record<string, unknown>>;

const MAX_BODY = 1_000_000;

/** The business of the demo: what its endpoints answer. A `POST` takes effect once for each idempotency key. */
function business({ path, query, body }: Call): Answer | null {
  const given = typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  const rows = Number(given.rows ?? 1_200);
  switch (path) {
    case "/orders/export":
      return { file: `orders-${query.get("day") || "today"}.csv`, rows: 1_200, day: query.get("day") ?? "" };
    case "/orders/clean":
      return { rows: rows - Math.floor(rows * 0.02), dropped: Math.floor(rows * 0.02) };
    case "/warehouse/load":
      return { loaded: rows, table: given.table ?? "orders" };
    case "/orders/report":
      return { title: `Orders of ${String(given.day || "today")}`, lines: rows };
    case "/legacy/ledger":
      return { booked: rows };
    default:
      return path.startsWith("/step/") ? { step: path.slice("/step/".length), rows } : null;
  }
}

/** A small service on the loopback address for the demo's pipelines to call, whose failures can be set. */
export function createDemoService(random: () => number = Math.random): Server {
  const control = new Control();
  const effects = new Effects();
  return createServer((request, response) => {
    void answer(request, response, { control, effects, random }).catch((error: unknown) => send(response, 400, { error: String(error) }));
  });
}

interface World {
  readonly control: Control;
  readonly effects: Effects;
  readonly random: () => number;
}

async function answer(request: IncomingMessage, response: ServerResponse, world: World): Promise<void> {
  const call = await read(request);
  if (call.path === "/health") return send(response, 200, { ok: true });
  if (call.path === "/control") return controlCall(request.method ?? "GET", response, call, world);
  if (call.path === "/effects" && request.method !== "POST") return effectsCall(request.method ?? "GET", response, call, world);
  const { latencyMs, down, failureRate, status } = world.control.behaviourOf(call.path);
  await new Promise((resolve) => setTimeout(resolve, latencyMs));
  if (down || world.random() < failureRate) {
    const retryAfter: Record<string, string> = status === 429 ? { "retry-after": "1" } : {};
    return send(response, status, { error: down ? `${call.path} is down` : `${call.path} failed this time` }, retryAfter);
  }
  const said = call.path === "/effects" ? {} : business(call);
  if (said === null) return send(response, 404, { error: `there is no ${call.path}` });
  if (request.method === "GET") return send(response, 200, said);
  const { repeated } = world.effects.record(call.key, call.path === "/effects" ? call.body : call.path);
  send(response, 200, { ...said, repeated });
}

function controlCall(method: string, response: ServerResponse, call: Call, { control }: World): void {
  if (method === "DELETE") control.reset();
  if (method === "POST" || method === "PUT") {
    const set = control.set(call.body);
    if (!set.ok) {
      send(response, 422, { error: set.message });
      return;
    }
  }
  send(response, 200, control.list());
}

function effectsCall(method: string, response: ServerResponse, call: Call, { effects }: World): void {
  if (method === "DELETE") effects.clear();
  const key = call.query.get("key");
  send(response, 200, key === null ? effects.list() : effects.find(key));
}

async function read(request: IncomingMessage): Promise<Call> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_BODY) throw new Error("the body is too large");
    parts.push(part);
  }
  const text = Buffer.concat(parts).toString("utf8");
  const url = new URL(request.url ?? "/", "http://demo");
  const key = request.headers["idempotency-key"];
  return {
    path: url.pathname,
    query: url.searchParams,
    key: Array.isArray(key) ? key[0] : key,
    body: text === "" ? null : JSON.parse(text),
  };
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}
