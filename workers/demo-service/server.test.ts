import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createDemoService } from "./server";

const server = createDemoService(() => 0.5);
let base: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(async () => {
  await Promise.all([fetch(`${base}/control`, { method: "DELETE" }), fetch(`${base}/effects`, { method: "DELETE" })]);
});

const post = async (path: string, body: unknown, key?: string) => {
  const answer = await fetch(base + path, { method: "POST", body: JSON.stringify(body), headers: key ? { "idempotency-key": key } : {} });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};
const get = async (path: string) => (await fetch(base + path)).json() as Promise<Record<string, unknown>>;

test("a key takes effect once however often it is called, and the calls are counted (IDM-1)", async () => {
  expect((await post("/warehouse/load", { rows: 7 }, "e1")).body).toMatchObject({ loaded: 7, repeated: false });
  expect((await post("/warehouse/load", { rows: 7 }, "e1")).body).toMatchObject({ loaded: 7, repeated: true });
  expect(await get("/effects?key=e1")).toMatchObject({ effects: 1, calls: 2 });
  expect(await get("/effects?key=other")).toMatchObject({ effects: 0, calls: 0 });
});

test("a call that fails takes no effect (IDM-1)", async () => {
  await post("/control", { endpoint: "/warehouse/load", down: true });
  expect((await post("/warehouse/load", {}, "e2")).status).toBe(503);
  expect(await get("/effects?key=e2")).toMatchObject({ effects: 0, calls: 0 });
  await post("/control", { endpoint: "/warehouse/load", down: false });
  expect((await post("/warehouse/load", {}, "e2")).status).toBe(200);
});

test("the failure rate decides by chance, per endpoint", async () => {
  await post("/control", { endpoint: "/orders/export", failureRate: 0.6, status: 500, latencyMs: 0 });
  expect((await fetch(`${base}/orders/export`)).status).toBe(500);
  await post("/control", { endpoint: "/orders/export", failureRate: 0.4 });
  expect((await fetch(`${base}/orders/export`)).status).toBe(200);
  expect((await fetch(`${base}/step/a`)).status).toBe(200);
});

test("one endpoint of the demo is down until it is repaired", async () => {
  expect((await post("/legacy/ledger", {})).status).toBe(503);
  await post("/control", { endpoint: "/legacy/ledger", down: false });
  expect((await post("/legacy/ledger", {})).status).toBe(200);
});

test("a wrong setting and an unknown path are refused", async () => {
  expect((await post("/control", { endpoint: "/x", failureRate: 2 })).status).toBe(422);
  expect((await post("/nowhere", {})).status).toBe(404);
});
