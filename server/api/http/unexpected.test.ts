import { afterEach, expect, test } from "vitest";
import type { Db } from "@/db/client";
import { BASE, type TestWorld, testWorld } from "@/db/testing/api";
import { testCtx } from "@/db/testing/ctx";
import type { SignIn } from "@/server/engine/access/sign-in";
import { holdWorld } from "../world";
import { handleAuth } from "./auth";
import { handleFirstAdmin } from "./first-admin";
import { handleRest } from "./rest";
import { handleTrpc } from "./trpc";

afterEach(() => {
  delete (globalThis as { [key: symbol]: unknown })[Symbol.for("apollo11.world")];
});

/** The process as it is in production: the world is held, and no door is handed one. Everything behind it fails. */
function brokenWorld(): TestWorld {
  const fail = () => {
    throw new RangeError("what nobody expected");
  };
  const db = new Proxy({}, { get: fail }) as Db;
  const signIn: SignIn = { handle: async () => fail(), findSession: async () => fail(), signIn: async () => fail() };
  const world = testWorld(testCtx(db), { signIn });
  holdWorld(world);
  return world;
}

const headers = { origin: BASE, host: "127.0.0.1:3000", "content-type": "application/json" };
const post = (path: string, body: object, more: Record<string, string> = {}) =>
  new Request(`${BASE}${path}`, { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify(body) });

const first = { token: "t", name: "Ada", email: "ada@example.org", password: "a long enough password" };
test.each([
  ["signing in", () => handleAuth(post("/api/auth/sign-in/email", { email: "a@example.org", password: "x" }))],
  ["the first administrator's link", () => handleFirstAdmin(post("/api/first-admin", first))],
  ["REST", () => handleRest(post("/api/v1/runs", {}, { authorization: "Bearer apollo_x" }))],
  ["the console", () => handleTrpc(post("/api/trpc/session.me", {}, { cookie: "a=b" }))],
])("a failure behind the door of %s is a 500 that tells nothing, and is in the log with its cause (OBS-1)", async (_, ask) => {
  const world = brokenWorld();
  const response = await ask();
  expect(response.status).toBe(500);
  const text = await response.text();
  expect(text).not.toContain("nobody expected");
  expect(world.bugs).toHaveLength(1);
  expect(JSON.stringify(world.bugs, (_key, value) => (value instanceof Error ? `${value.name}: ${value.message}` : value))).toContain(
    "what nobody expected",
  );
});
