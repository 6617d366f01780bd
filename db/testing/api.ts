import superjson from "superjson";
import { handleRest } from "../../server/api/http/rest";
import { handleTrpc } from "../../server/api/http/trpc";
import type { World } from "../../server/api/world";
import type { SignIn } from "../../server/engine/access/sign-in";
import type { Ctx } from "../../server/engine/context";

const HOST = "127.0.0.1:3000";
export const BASE = `http://${HOST}`;

/** The sign-in port in memory: a cookie names its user. */
const signInByName: SignIn = {
  handle: async () => new Response(null, { status: 404 }),
  findSession: async (headers) => {
    const [, userId] = /(?:^|; )as=([\w-]+)/.exec(headers.get("cookie") ?? "") ?? [];
    return userId ? { id: userId, userId, startedAt: new Date(), seenAt: new Date() } : null;
  },
  signIn: async () => new Response(null, { status: 200, headers: { "set-cookie": "as=somebody" } }),
};

export interface TestWorld extends World {
  /** What was logged as an error: a bug, wherever it comes from. */
  readonly bugs: unknown[];
}

export function testWorld(ctx: Ctx, more: Partial<World> = {}): TestWorld {
  const bugs: unknown[] = [];
  const log = { ...ctx.log, error: (fields: object, message: string) => void bugs.push({ message, fields }) };
  return {
    bugs,
    log,
    ids: ctx.ids,
    signIn: signInByName,
    bootId: "boot-1",
    addressOf: () => null,
    stopping: new AbortController().signal,
    ctx: (principal, source) => ({ ...ctx, log, principal, source }),
    ...more,
  };
}

export interface Answer {
  readonly status: number;
  /** What the procedure gave, or the refusal. */
  readonly body: unknown;
  readonly failure: {
    readonly code: string;
    readonly issues: readonly { path: string; code: string; message: string }[];
    readonly details: Record<string, unknown>;
  } | null;
  readonly message: string;
}

interface Call {
  /** Whose cookie is sent; nobody's where it is left out. */
  readonly as?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A procedure over HTTP, as the console's client calls it. */
export async function callProcedure(world: World, path: string, input: unknown, options: Call = {}): Promise<Answer> {
  return sendProcedure(world, path, JSON.stringify(superjson.serialize(input)), options);
}

/** The same with a body that no client would write. */
export async function sendProcedure(world: World, path: string, body: string, options: Call = {}): Promise<Answer> {
  const headers: Record<string, string> = { "content-type": "application/json", origin: BASE, host: HOST, "sec-fetch-site": "same-origin" };
  if (options.as) headers.cookie = `as=${options.as}`;
  const request = new Request(`${BASE}/api/trpc/${path}`, { method: "POST", headers: { ...headers, ...options.headers }, body });
  const response = await handleTrpc(request, world);
  const text = await response.text();
  const envelope = JSON.parse(text) as { result?: { data: never }; error?: never };
  if (envelope.result) return { status: response.status, body: superjson.deserialize(envelope.result.data), failure: null, message: "" };
  const error = superjson.deserialize<{ message: string; data: { failure: Answer["failure"] } }>(envelope.error as never);
  return { status: response.status, body: error, failure: error.data.failure, message: error.message };
}

interface RestCall {
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request of the REST surface; an object is sent as JSON, a text as it is. */
export async function rest(world: World, method: string, path: string, body?: unknown, options: RestCall = {}) {
  const headers: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
  if (options.token) headers.authorization = `Bearer ${options.token}`;
  const request = new Request(`${BASE}/api/v1${path}`, {
    method,
    headers: { ...headers, ...options.headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const response = await handleRest(request, world);
  const text = await response.text();
  const type = response.headers.get("content-type") ?? "";
  return {
    status: response.status,
    type,
    headers: response.headers,
    text,
    json: (type.includes("json") ? JSON.parse(text) : null) as never,
  };
}
