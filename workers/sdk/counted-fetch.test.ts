import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { countedFetch } from "./counted-fetch";

let server: Server;
let url: string;
let statuses: number[];
let heard: IncomingHttpHeaders[];
let retried: string[];
const abort = new AbortController();
beforeAll(async () => {
  server = createServer((request, response) => {
    heard.push(request.headers);
    const status = statuses.shift();
    if (status === undefined) return;
    if (status === 0) request.socket.destroy();
    else response.writeHead(status).end("{}");
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/effects`;
});
beforeEach(() => {
  [statuses, heard, retried] = [[], [], []];
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const open = (signal = abort.signal) =>
  countedFetch({ executionId: "x-1", traceparent: "00-a-b-01", signal, onRetried: (of) => void retried.push(of) });

test("the same call after a failed one is an inner retry, also after one that got no answer (EXC-3, RTY-3)", async () => {
  const send = open();
  statuses = [503, 0, 429, 200];
  await send(`${url}?key=secret`, { method: "POST" });
  await expect(send(url, { method: "POST" })).rejects.toThrow();
  for (let n = 0; n < 2; n++) await send(url, { method: "POST" });
  expect(retried).toEqual(Array.from({ length: 3 }, () => `POST ${url}`));
});

test("polling, other calls and what the service refuses are none", async () => {
  const send = open();
  statuses = [200, 202, 404, 404, 503, 200];
  for (let n = 0; n < 4; n++) await send(url);
  await send(url);
  await send(url, { method: "POST" });
  expect(retried).toEqual([]);
});

test("of a task that calls ever new addresses the last thousand failed calls are remembered, and no more (EXC-3)", async () => {
  const send = open();
  const call = (n: number) => send(`${url}/${n}`);
  statuses = Array.from({ length: 1_004 }, () => 503);
  for (let n = 0; n <= 1_000; n++) await call(n);
  await call(1_000);
  await call(1);
  await call(0);
  expect(retried).toEqual([`GET ${url}/1000`, `GET ${url}/1`]);
});

test("it sends the attempt's identity, keeps what its caller says, and ends with the attempt (IDM-1, RUN-3)", async () => {
  statuses = [200, 200];
  await open()(url);
  await open()(url, { headers: { "Idempotency-Key": "own" } });
  expect(heard.map((headers) => headers["idempotency-key"])).toEqual(["x-1", "own"]);
  expect(heard[0]?.traceparent).toBe("00-a-b-01");
  const ending = new AbortController();
  const hangs = open(ending.signal)(url);
  ending.abort(new Error("the attempt was cancelled"));
  await expect(hangs).rejects.toThrow("the attempt was cancelled");
});
