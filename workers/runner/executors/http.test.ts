import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { guardedHttp } from "@/server/adapters/http-guarded";
import type { ClaimedNode } from "@/server/domain/run/work";
import type { AttemptLog } from "../log-sink";
import type { Execution } from "./execution";
import { executeHttp } from "./http";

let seen: { request: IncomingMessage; body: string } | undefined;
let answer: (response: ServerResponse) => void = (response) => response.end();
const server = createServer((request, response) => {
  let body = "";
  request.on("data", (part: Buffer) => {
    body += part.toString();
  });
  request.on("end", () => {
    seen = { request, body };
    answer(response);
  });
});
let base: string;
const http = guardedHttp({ isOpened: async (_, target) => target.port !== 9, own: [] });
const clock = { now: () => new Date("2026-03-01T00:00:00Z"), monotonicMs: () => performance.now() };
beforeAll(async () => {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await http.close();
  server.closeAllConnections();
  server.close();
});

const claimed = { projectId: "p", runId: "run-1", key: "pull", executionId: "exec-1", attemptNo: 2, token: 5 } as ClaimedNode;
const send = (sent: Partial<Execution<"http">["with"]> = {}, signal: AbortSignal = new AbortController().signal) => {
  const notes: string[] = [];
  const log: AttemptLog = {
    write: () => {},
    system: (text) => notes.push(text),
    isFull: false,
    whenDrained: async () => {},
    end: async () => ({ bytes: 0, truncated: false }),
  };
  const execution: Execution<"http"> = {
    claimed,
    with: { method: "GET", url: `${base}/x`, ...sent },
    traceparent: "00-t-s-01",
    timeoutMs: 5_000,
    signal,
    log,
  };
  return executeHttp({ http, clock }, execution).then((executed) => ({ executed, notes }));
};
const json = (text: string, status = 200, headers: Record<string, string> = {}) => {
  answer = (response) => response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers }).end(text);
};

test("every request carries the execution's identity and the trace, whatever the author's headers say (IDM-1, OBS-3)", async () => {
  json("{}");
  await send({
    method: "POST",
    body: { rows: [1, 2] },
    headers: { "Idempotency-Key": "mine", Authorization: "Bearer x", Accept: "text/csv" },
  });
  expect(seen?.body).toBe('{"rows":[1,2]}');
  expect(seen?.request.headers).toMatchObject({
    "idempotency-key": "exec-1",
    traceparent: "00-t-s-01",
    "x-apollo-run": "run-1",
    "x-apollo-node": "pull",
    "x-apollo-attempt": "2",
    authorization: "Bearer x",
    accept: "text/csv",
    "content-type": "application/json",
  });
});

test("a JSON answer becomes the output with every digit, any other the text (B80)", async () => {
  json('{"id":7615917337495251231,"ok":true}');
  const { executed, notes } = await send();
  expect(executed).toMatchObject({ kind: "succeeded", output: { id: "7615917337495251231", ok: true }, response: { status: 200 } });
  expect(notes.join()).toContain("7615917337495251231");
  answer = (response) => response.end("plain");
  expect((await send()).executed).toMatchObject({ output: "plain" });
  answer = (response) => response.writeHead(204).end();
  expect((await send()).executed).toMatchObject({ output: null });
});

test.each([
  [500, { status: "HTTP", number: 500, retryable: true }],
  [503, { status: "HTTP", number: 503, retryable: true }],
  [404, { status: "HTTP", number: 404, retryable: false }],
  [422, { status: "VALIDATION", number: 422, retryable: false }],
  [409, { status: "HTTP", number: 409, retryable: true }],
  [504, { status: "TIMEOUT", number: 504, retryable: true }],
])("status %i is the fault %o (EXC-1, RTY-2)", async (status, fault) => {
  json('{"why":"because"}', status);
  expect((await send()).executed).toMatchObject({ kind: "failed", fault: { ...fault, quoted: expect.stringContaining("because") } });
});

test("a problem document gives the status its words and the event its business keys (EXC-1)", async () => {
  const body = { type: "https://example.com/probs/out-of-stock", title: "Out of stock", detail: "none is left", sku_id: "A-1" };
  json(JSON.stringify(body), 409, { "content-type": "application/problem+json", "retry-after": "9" });
  expect((await send()).executed).toMatchObject({
    kind: "failed",
    fault: {
      ...{ status: "OUT_OF_STOCK", number: 409, retryAfterMs: 9_000, context: { sku_id: "A-1" } },
      quoted: "Out of stock: none is left (https://example.com/probs/out-of-stock)",
    },
  });
  json(JSON.stringify(body), 429, { "content-type": "application/problem+json" });
  expect((await send()).executed).toMatchObject({ fault: { status: "RATE_LIMIT", number: 429 } });
});

test.each([
  ["7", 7_000],
  ["Sun, 01 Mar 2026 00:01:00 GMT", 60_000],
  ["soon", null],
])("Retry-After %s is obeyed as %s ms (RTY-2)", async (header, retryAfterMs) => {
  json("{}", 429, { "retry-after": header });
  expect((await send()).executed).toMatchObject({ kind: "failed", fault: { status: "RATE_LIMIT", number: 429, retryAfterMs } });
});

test("the statuses that an author accepts succeed, and no others (PIP-5)", async () => {
  json("{}", 404);
  expect((await send({ accept: [404] })).executed).toMatchObject({ kind: "succeeded" });
  json("{}", 200);
  expect((await send({ accept: [404] })).executed).toMatchObject({ kind: "failed" });
});

test("an answer above the limit, with a NUL, or that is no JSON though it says so fails once and for good (B78, B81)", async () => {
  json(JSON.stringify("x".repeat(1_100_000)));
  expect((await send()).executed).toMatchObject({ fault: { code: "APOLLO_OUTPUT_TOO_LARGE_413", retryable: false } });
  json('"a\\u0000"');
  expect((await send()).executed).toMatchObject({ fault: { code: "APOLLO_OUTPUT_INVALID_422", retryable: false } });
  json("<html>");
  expect((await send()).executed).toMatchObject({ fault: { code: "APOLLO_OUTPUT_INVALID_422", retryable: false } });
});

test("an answer that is lost leaves the fate of a request that acts unknown; one that never went out, or changes nothing, does not (IDM-3)", async () => {
  answer = (response) => response.destroy();
  expect((await send({ method: "POST" })).executed).toMatchObject({ fault: { status: "NETWORK", number: 502, fateUnknown: true } });
  expect((await send({ method: "GET" })).executed).not.toHaveProperty("fault.fateUnknown");
  expect((await send({ method: "POST", url: "http://127.0.0.1:1/" })).executed).not.toHaveProperty("fault.fateUnknown");
  json("{}", 504);
  expect((await send({ method: "POST" })).executed).toMatchObject({ fault: { status: "TIMEOUT", fateUnknown: true } });
  json("{}", 503);
  expect((await send({ method: "POST" })).executed).not.toHaveProperty("fault.fateUnknown");
});

test("a target that is not open is a fault of its own and final; a refused connection may be tried again (SEC-2)", async () => {
  expect((await send({ url: "http://127.0.0.1:9/" })).executed).toMatchObject({
    fault: { code: "APOLLO_TARGET_FORBIDDEN_403", retryable: false },
  });
  expect((await send({ url: "http://127.0.0.1:1/" })).executed).toMatchObject({
    fault: { status: "CONNECT", number: 503, retryable: true },
  });
});

test("a request is ended when its attempt is (RUN-3)", async () => {
  answer = () => undefined;
  const stop = new AbortController();
  const sent = send({}, stop.signal);
  stop.abort({ kind: "revoked", reason: "test", graceMs: 0 });
  expect((await sent).executed).toMatchObject({ kind: "killed" });
});

test("a call without an answer says whom it asked, by origin alone, and how long it waited; one that never went out says nothing (EXC-7)", async () => {
  answer = (response) => response.destroy();
  const unanswered = { url: base, durationMs: expect.any(Number) };
  const secret = `${base.replace("//", "//user:canary@")}/orders?token=canary`;
  expect((await send({ url: secret })).executed).toMatchObject({ kind: "failed", response: null });
  expect((await send({ url: `${base}/orders?token=canary` })).executed).toHaveProperty("response", unanswered);
  expect((await send({ url: "http://127.0.0.1:1/x" })).executed).toHaveProperty("response.url", "http://127.0.0.1:1");
  expect((await send({ url: "http://127.0.0.1:9/x" })).executed).toHaveProperty("response", null);
  answer = () => undefined;
  const stop = new AbortController();
  const sent = send({}, stop.signal);
  stop.abort({ kind: "timeout", reason: "test", graceMs: 0 });
  expect((await sent).executed).toEqual({ kind: "killed", response: unanswered });
});

test("what an answer says of cookies is not kept (SEC-1)", async () => {
  json("{}", 200, { "set-cookie": "session=canary", "x-request": "r1" });
  const { executed } = await send();
  expect(executed).toMatchObject({ response: { headers: { "x-request": "r1" } } });
  expect(JSON.stringify(executed)).not.toContain("canary");
});
