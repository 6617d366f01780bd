import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { Agent, request } from "undici";
import { DomainError } from "@/server/domain/failure";
import { longTimeout } from "@/server/engine/long-timeout";
import type { HttpAnswer, HttpClient, HttpRequest } from "@/server/engine/ports";
import { isPublicAddress, isThisMachine, type Target } from "./address-guard";
import { carriedHeaders, nextHop, shownUrl } from "./http-redirect";
import { permittedConnector, type Resolve, resolveByOs, type Verdict } from "./http-resolve";

export interface GuardedHttpOptions {
  /** Whether an administrator opened this host and port for the project. */
  readonly isOpened: (projectId: string, target: Target) => Promise<boolean>;
  /** Addresses of our own Postgres, Redis and web: no row opens them. */
  readonly own: readonly Target[];
  readonly resolve?: Resolve;
}

export interface GuardedHttpClient extends HttpClient {
  close(): Promise<void>;
}

const MAX_REDIRECTS = 5;
const CONNECT_LIMIT_MS = 10_000;
const MAX_HEADER_BYTES = 64 * 1024;
/** Below the registered ports only the web's own: SMTP, SSH and their kind are no HTTP services. */
const isWebPort = (port: number) => port === 80 || port === 443 || port >= 1_024;

/** The one HTTP client for nodes, webhooks and test buttons: every address is checked at the dial and on each hop (SEC-2). */
export function guardedHttp(options: GuardedHttpOptions): GuardedHttpClient {
  const resolve = options.resolve ?? resolveByOs;
  const agents = new Map<string, Agent>();
  const judge = judgeOf(options, resolve);
  // One agent a project: a connection that one project may hold is never handed to another.
  const agentOf = (projectId: string) => {
    const known = agents.get(projectId);
    if (known) return known;
    const agent = new Agent({
      connect: permittedConnector(resolve, (target, addresses) => judge(projectId, target, addresses), CONNECT_LIMIT_MS),
      maxHeaderSize: MAX_HEADER_BYTES,
      maxOrigins: 1_000,
    });
    agents.set(projectId, agent);
    return agent;
  };
  return {
    send: async (sent) => {
      const limit = new AbortController();
      const timer = longTimeout(sent.timeoutMs, () => limit.abort(new DOMException("out of time", "TimeoutError")));
      const signal = AbortSignal.any([sent.signal, limit.signal]);
      try {
        return await follow(sent, signal, agentOf(sent.projectId), async (url) => {
          const target = targetOf(url);
          const refusal = await judge(sent.projectId, target, await resolve(target.host));
          if (refusal) throw new DomainError("forbidden", refusal, { details: { host: target.host, port: target.port } });
        });
      } catch (error) {
        if (sent.signal.aborted) throw sent.signal.reason;
        throw asFailure(error, limit.signal.aborted, sent);
      } finally {
        timer.clear();
      }
    },
    close: async () => {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
    },
  };
}

/** Judges where a name leads to; every address must be permitted, not only the one that is dialled first. */
function judgeOf(options: GuardedHttpOptions, resolve: Resolve) {
  return async (projectId: string, target: Target, addresses: readonly string[]): Promise<Verdict> => {
    const place = `${target.host}:${target.port}`;
    if (await reachesOwn(options.own, target.port, addresses, resolve)) {
      return `${place} is a service of Apollo-11 itself; a node cannot call it, and no setting opens it.`;
    }
    const isOpen = isWebPort(target.port) && addresses.every(isPublicAddress);
    if (isOpen || (await options.isOpened(projectId, target))) return null;
    const what = isWebPort(target.port) ? "leads to a private, loopback or reserved address" : "is a port below 1024 other than 80 and 443";
    return `${place} ${what}, which nodes may not reach. An administrator can open ${place} under Settings, Allowed hosts.`;
  };
}

async function reachesOwn(own: readonly Target[], port: number, addresses: readonly string[], resolve: Resolve): Promise<boolean> {
  for (const service of own) {
    if (service.port !== port) continue;
    const places = await resolve(service.host).catch((): readonly string[] => []);
    const isHere = places.some(isThisMachine);
    if (addresses.some((address) => places.includes(address) || (isHere && isThisMachine(address)))) return true;
  }
  return false;
}

async function follow(sent: HttpRequest, signal: AbortSignal, agent: Agent, permit: (url: URL) => Promise<void>): Promise<HttpAnswer> {
  let hop = { url: startOf(sent.url), method: sent.method, headers: { ...sent.headers }, body: sent.body };
  for (let hops = 0; ; hops++) {
    await before(signal, permit(hop.url));
    const answer = await request(hop.url, {
      method: hop.method as "GET",
      headers: { "accept-encoding": "identity", "user-agent": "apollo-11", ...lowerCased(hop.headers) },
      body: hop.body,
      dispatcher: agent,
      signal,
      // The signal is the limit.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const headers = answer.headers as IncomingHttpHeaders;
    const next = sent.staysHere ? null : nextHop(hop, answer.statusCode, headers.location);
    if (next === null) {
      const { text, truncated } = await readText(answer.body, headers["content-encoding"], sent.maxBytes);
      return { status: answer.statusCode, headers, body: text, truncated, finalUrl: shownUrl(hop.url) };
    }
    await answer.body.dump({ limit: 16_384 }).catch(() => undefined);
    if (hops >= MAX_REDIRECTS) throw unreachable("redirects", `${shownUrl(hop.url)} redirected more than ${MAX_REDIRECTS} times`);
    hop = { ...next, headers: carriedHeaders(hop.headers, hop.url, next) };
  }
}

/** The answer, unless the signal comes first: a look into the database or a name server may hang for long. */
async function before<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  work.catch(() => undefined);
  try {
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function startOf(text: string): URL {
  if (!URL.canParse(text)) {
    throw new DomainError("invalid_input", "The address is not a URL; write http:// or https:// with a host.");
  }
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new DomainError("forbidden", `A node can call http and https only, not ${url.protocol}//.`);
  }
  if (url.username || url.password) {
    throw new DomainError(
      "invalid_input",
      `Take the user and password out of the URL of ${url.host} and send an Authorization header from a secret.`,
    );
  }
  return url;
}

function targetOf(url: URL): Target {
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  return { host: url.hostname.replace(/\.$/, "").toLowerCase(), port };
}

const lowerCased = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** Reads at most `maxBytes` after unpacking, so that a small bomb cannot fill the memory. */
async function readText(body: Readable, encoding: string | undefined, maxBytes: number): Promise<{ text: string; truncated: boolean }> {
  const parts: Buffer[] = [];
  let bytes = 0;
  const source = unpacked(body, encoding);
  try {
    for await (const part of source as AsyncIterable<Buffer>) {
      const room = maxBytes - bytes;
      if (part.length > room) {
        parts.push(part.subarray(0, room));
        return { text: Buffer.concat(parts).toString("utf8"), truncated: true };
      }
      parts.push(part);
      bytes += part.length;
    }
    return { text: Buffer.concat(parts).toString("utf8"), truncated: false };
  } finally {
    source.destroy();
    body.on("error", () => undefined);
    body.destroy();
  }
}

function unpacked(body: Readable, encoding: string | undefined): Readable {
  const unpack =
    encoding === "gzip" ? createGunzip() : encoding === "deflate" ? createInflate() : encoding === "br" ? createBrotliDecompress() : null;
  if (!unpack) return body;
  body.on("error", (error) => unpack.destroy(error));
  return body.pipe(unpack);
}

const unreachable = (reason: string, message: string, cause?: unknown) =>
  new DomainError("unavailable", message, { details: { reason }, ...(cause === undefined ? {} : { cause }) });

/** What went wrong on the way, as one of a few reasons; the message names the host and never the query. */
function asFailure(error: unknown, timedOut: boolean, sent: HttpRequest): Error {
  if (error instanceof DomainError) return error;
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) if (cause instanceof DomainError) return cause;
  const place = URL.canParse(sent.url) ? shownUrl(new URL(sent.url)) : "the address";
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (timedOut || code.includes("TIMEOUT")) return unreachable("timeout", `${place} did not answer within ${sent.timeoutMs} ms`, error);
  if (code === "UND_ERR_INVALID_ARG") {
    const what = error instanceof Error ? error.message : "it";
    return new DomainError("invalid_input", `The request to ${place} cannot be sent: ${what}. Correct the node's method or headers.`, {
      cause: error,
    });
  }
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return unreachable("dns", `the name in ${place} could not be resolved`, error);
  if (code === "ECONNREFUSED") return unreachable("connect", `${place} refused the connection`, error);
  if (code === "UND_ERR_HEADERS_OVERFLOW")
    return unreachable("headers", `${place} sent more than ${MAX_HEADER_BYTES} bytes of headers`, error);
  return unreachable("network", `${place} could not be reached: ${code || "the connection broke"}`, error);
}
