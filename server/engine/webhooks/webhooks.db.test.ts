import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { and, asc, eq, isNull, sql } from "drizzle-orm";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { alerts } from "@/db/schema/alerts";
import { incidents } from "@/db/schema/incidents";
import { webhookDeliveries, webhooks } from "@/db/schema/webhooks";
import { actingAs, makeProject, makeUser, recordingPorts, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { node } from "@/db/testing/plans";
import { drive, makeFence, makePipeline, makeWorker, startRun } from "@/db/testing/runs";
import { until } from "@/db/testing/wait";
import { guardedHttp } from "@/server/adapters/http-guarded";
import { resolveRecovered } from "@/server/engine/alerts/resolve-recovered";
import type { Ctx } from "@/server/engine/context";
import type { Fence } from "@/server/engine/leadership/fence";
import { disableWebhook } from "./disable-webhook";
import { fanOut } from "./fan-out";
import { listWebhookDeliveries, listWebhooks } from "./list-webhooks";
import { rotateSecret } from "./rotate-secret";
import { createWebhook, setWebhookEnabled } from "./save-webhook";
import { sendEvents } from "./send-events";
import { resendEvent, testWebhook } from "./test-webhook";

const CANARY = "13812345678";

interface Received {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

let database: TestDatabase;
let ctx: Ctx;
let admin: Ctx;
let project: { id: string; key: string };
let fence: Fence;
let base = "";
let received: Received[] = [];
let offsetMs = 0;
let answers: Record<string, number> = {};
const hanging = new Set<ServerResponse>();

const http = guardedHttp({ isOpened: async () => true, own: [] });
const server = createServer((request, response) => {
  let body = "";
  request.on("data", (part: Buffer) => {
    body += part.toString();
  });
  request.on("end", () => {
    const path = request.url ?? "/";
    received.push({ path, headers: request.headers, body });
    if (path.startsWith("/hangs")) hanging.add(response);
    else response.writeHead(answers[path] ?? 200).end(`thanks ${CANARY}`);
  });
});

beforeAll(async () => {
  database = await openTestDatabase();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  ctx = testCtx(database.db, { now: () => new Date(Date.now() + offsetMs), ports: { ...recordingPorts(), http } });
  fence = await makeFence(ctx);
});
beforeEach(async () => {
  [received, answers, offsetMs] = [[], {}, 0];
  await database.db.update(webhooks).set({ deletedAt: new Date() }).where(isNull(webhooks.deletedAt));
  project = await makeProject(ctx);
  admin = actingAs(ctx, await makeUser(ctx, project, "admin"));
});
afterAll(async () => {
  for (const response of hanging) response.destroy();
  await http.close();
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  await database.close();
});

const subscribe = (path: string, events: string[] = ["*"]) =>
  createWebhook(admin, { projectId: project.id, name: path.slice(1), url: `${base}${path}`, events });

/** A run whose only node ends as said. */
async function run(end: { kind: "succeeded" } | { kind: "failed"; message?: string }): Promise<string> {
  const group = `g-${ctx.ids.randomHex(4)}`;
  const id = await startRun(ctx, await makePipeline(ctx, project, [node("a", [], { group, retry: { policy: "none" } })]));
  await drive(ctx, await makeWorker(ctx, [group]), {
    groups: [group],
    end: () => (end.kind === "failed" ? { ...end, retryable: false } : end),
  });
  return id;
}

const eventsAt = (path: string) => received.filter((each) => each.path === path).map(({ body }) => JSON.parse(body));
const typesAt = (path: string): string[] => eventsAt(path).map(({ type }) => type);

/** The leader at work, until a receiver has so many. */
const untilAt = (path: string, count: number, limitMs?: number) =>
  until(
    `${path} has ${count}`,
    async () => {
      await fanOut(ctx, fence);
      await sendEvents(ctx, fence);
      return eventsAt(path).length >= count;
    },
    limitMs,
  );
const rows = (webhookId: string) =>
  ctx.db.select().from(webhookDeliveries).where(eq(webhookDeliveries.webhookId, webhookId)).orderBy(asc(webhookDeliveries.seq));
const rowOf = async (id: string) => {
  const [row] = await ctx.db.select().from(webhooks).where(eq(webhooks.id, id));
  if (!row) throw new Error("the webhook is gone");
  return row;
};

describe("what arrives", () => {
  it("is a CloudEvent under Standard Webhooks' signature, in the order of its run, masked and by whitelist (EXC-4, EXC-2)", async () => {
    const { secret } = await subscribe("/well");
    const runId = await run({ kind: "failed", message: `call ${CANARY} now` });
    await untilAt("/well", 3);
    expect(typesAt("/well")).toEqual(["apollo.run.started", "apollo.node.failed", "apollo.run.paused"]);
    for (const { headers, body } of received) {
      const event = JSON.parse(body);
      expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(event);
      expect(headers["content-type"]).toBe("application/cloudevents+json; charset=utf-8");
      expect(headers["webhook-id"]).toBe(event.id);
      expect(event).toMatchObject({
        specversion: "1.0",
        subject: `runs/${runId}`,
        source: `https://apollo.example.org/projects/${project.key}`,
      });
      expect(body).not.toContain(CANARY);
    }
    expect(eventsAt("/well")[1].data).toMatchObject({ node: "a", code: "TEST_STEP_BROKEN_500", to: "FAILED", message: "call *** now" });
    const { items } = await listWebhookDeliveries(admin, {
      projectId: project.id,
      webhookId: (await listWebhooks(admin, { projectId: project.id }))[0]?.id ?? "",
    });
    expect(items[0]).toMatchObject({ state: "sent", status: 200, response: "thanks ***", tries: 1 });
  });

  it("is only what a subscriber asked for, of its own project, from its making on", async () => {
    await run({ kind: "failed" });
    await subscribe("/some", ["run.succeeded"]);
    const other = await makeProject(ctx);
    const own = project;
    project = { ...other };
    await run({ kind: "succeeded" });
    project = own;
    await run({ kind: "failed" });
    const runId = await run({ kind: "succeeded" });
    await untilAt("/some", 1);
    await fanOut(ctx, fence);
    await sendEvents(ctx, fence);
    expect(eventsAt("/some").map(({ type, subject }) => [type, subject])).toEqual([["apollo.run.succeeded", `runs/${runId}`]]);
  });

  it("an alert that opens and is resolved is told by whichever path it changes, and a breaker to every project", async () => {
    await subscribe("/alerts", ["alert.*", "breaker.*"]);
    const [id, now] = [ctx.ids.uuid(), new Date()];
    const row = {
      id,
      projectId: project.id,
      no: 1,
      key: "code:x",
      kind: "code",
      code: "TEST_STEP_BROKEN_500",
      grade: "P1",
      message: "broke",
    };
    await ctx.db.insert(alerts).values({ ...row, label: "orders / load", count: 1, firstAt: now, lastAt: now });
    await ctx.db.update(alerts).set({ count: 2 }).where(eq(alerts.id, id));
    await ctx.db.update(alerts).set({ resolvedAt: now, resolvedAs: "itself" }).where(eq(alerts.id, id));
    await ctx.db.execute(sql`insert into worker_breakers (worker_id, state, since, until, count_from, checked_until)
      values (${`w-${ctx.ids.randomHex(4)}`}, 'open', now(), now(), now(), now())`);
    await untilAt("/alerts", 3);
    expect(typesAt("/alerts").filter((type) => type !== "apollo.breaker.opened")).toEqual(["apollo.alert.opened", "apollo.alert.resolved"]);
    expect(typesAt("/alerts")).toContain("apollo.breaker.opened");
    expect(eventsAt("/alerts").find(({ type }) => type === "apollo.alert.opened")).toMatchObject({
      subject: `alerts/${id}`,
      data: { no: 1, grade: "P1", object: "orders / load" },
    });
  });

  it("a review that is published goes out whole, as Markdown (INC-3)", async () => {
    await subscribe("/reviews", ["review.published"]);
    const [id, now] = [ctx.ids.uuid(), new Date()];
    const row = { id, projectId: project.id, no: 4, code: "TEST_STEP_BROKEN_500", severity: "P1", openedAt: now, resolvedAt: now };
    await ctx.db.insert(incidents).values({ ...row, state: "resolved", stateSince: now });
    await ctx.db.update(incidents).set({ state: "closed", closedAt: now, reviewedAt: now }).where(eq(incidents.id, id));
    await untilAt("/reviews", 1);
    const [event] = eventsAt("/reviews");
    expect(event).toMatchObject({ type: "apollo.review.published", subject: `incidents/${id}`, data: { no: 4, severity: "P1" } });
    expect(event.data.markdown).toContain("TEST_STEP_BROKEN_500");
  });

  it("an event whose transaction commits late, under a lower id than others, is told all the same (EXC-4)", async () => {
    const { id } = await subscribe("/late");
    let commit: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      commit = resolve;
    });
    const noted = sql`select note_event(${project.id}::uuid, 'code.proposed', 'codes/LATE', '{"code":"LATE"}')`;
    let drawn: () => void = () => {};
    const isDrawn = new Promise<void>((resolve) => {
      drawn = resolve;
    });
    const late = database.db.transaction(async (tx) => {
      await tx.execute(sql`select pg_current_xact_id()`);
      await tx.execute(noted);
      drawn();
      await held;
    });
    await isDrawn;
    await run({ kind: "succeeded" });
    await ctx.db.execute(sql`select note_event(${project.id}::uuid, 'code.proposed', 'codes/EARLY', '{"code":"EARLY"}')`);
    for (const _pass of [1, 2, 3]) await fanOut(ctx, fence);
    expect((await rows(id)).map(({ subject }) => subject)).not.toContain("codes/LATE");
    commit();
    await late;
    await untilAt("/late", 4);
    expect((await rows(id)).map(({ subject }) => subject).filter((subject) => subject.startsWith("codes/"))).toEqual([
      "codes/LATE",
      "codes/EARLY",
    ]);
  });
});

describe("a subscriber that is slow or dead", () => {
  it("harms nobody: beside one that hangs, one that is well has all within seconds (EXC-4)", async () => {
    await subscribe("/hangs");
    await subscribe("/well-too", ["run.*"]);
    for (const _run of [1, 2, 3, 4, 5]) await run({ kind: "failed" });
    const from = performance.now();
    await untilAt("/well-too", 10, 6_000);
    expect(performance.now() - from).toBeLessThan(6_000);
    expect(eventsAt("/hangs").length).toBeLessThanOrEqual(4);
  });

  it("costs a settle nothing: no trigger of the bus is on what a claim or a settle writes (EXC-4)", async () => {
    const tables = await database.sql`
      select distinct c.relname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
      where p.prosrc ~ 'note_event|bus_events|webhook' and c.relispartition = false order by 1`;
    expect(tables.map(({ name }) => name)).toEqual(["alerts", "error_codes", "incidents", "worker_breakers"]);
  });

  it("gets each again in its order, no later one of a subject before an earlier one, and the same id at each try (EXC-4)", async () => {
    const { id } = await subscribe("/fails");
    answers = { "/fails": 500 };
    await run({ kind: "failed" });
    await untilAt("/fails", 1);
    expect(typesAt("/fails")).toEqual(["apollo.run.started"]);
    expect(await listWebhooks(admin, { projectId: project.id })).toMatchObject([
      { state: "failing", waiting: 3, last: { state: "waiting" } },
    ]);
    answers = {};
    offsetMs = 60_000;
    await untilAt("/fails", 4);
    expect(typesAt("/fails")).toEqual(["apollo.run.started", "apollo.run.started", "apollo.node.failed", "apollo.run.paused"]);
    expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(3);
    expect(await rowOf(id)).toMatchObject({ failures: 0, failingSince: null });
  });

  it("is off after a day of failures, with an alert, and goes on from there when a person lets it (EXC-4)", async () => {
    const { id } = await subscribe("/dead");
    answers = { "/dead": 503 };
    await run({ kind: "succeeded" });
    await untilAt("/dead", 1);
    offsetMs = 25 * 3_600_000;
    await ctx.db
      .update(webhookDeliveries)
      .set({ giveUpAt: new Date(Date.now() + offsetMs + 1_000_000) })
      .where(eq(webhookDeliveries.webhookId, id));
    await untilAt("/dead", 2);
    const row = await rowOf(id);
    expect(row.disabledAt).not.toBeNull();
    const opened = await ctx.db
      .select()
      .from(alerts)
      .where(and(eq(alerts.projectId, project.id), isNull(alerts.resolvedAt)));
    expect(opened).toMatchObject([{ code: "APOLLO_WEBHOOK_DISABLED_503", label: "webhook dead" }]);
    expect(JSON.stringify(opened)).not.toContain("/dead");
    answers = {};
    await setWebhookEnabled(admin, { id, revision: row.revision, enabled: true });
    await resolveRecovered(ctx, fence);
    const [ended] = await ctx.db.select().from(alerts).where(eq(alerts.projectId, project.id));
    expect(ended?.resolvedAs, "its alert is over").toBe("itself");
    offsetMs += 7_200_000;
    await untilAt("/dead", 3);
    expect((await rows(id)).filter(({ state }) => state === "sent").map(({ type }) => type)).toContain("run.started");
  });

  it("that a person has changed since it was tried is left on, and nobody is told (EXC-4)", async () => {
    const { id } = await subscribe("/moved");
    const tried = await rowOf(id);
    await setWebhookEnabled(admin, { id, revision: tried.revision, enabled: false });
    await setWebhookEnabled(admin, { id, revision: tried.revision + 1, enabled: true });
    const changed = await rowOf(id);
    await disableWebhook(ctx, tried, "it answered with 503 for a day");
    expect(await rowOf(id)).toEqual(changed);
    await disableWebhook(ctx, changed, "it answered with 503 for a day");
    expect(await rowOf(id)).toMatchObject({ disabledWhy: "it answered with 503 for a day", revision: changed.revision + 1 });
  });

  it("that is paused keeps its place and gets what happened meanwhile", async () => {
    const { id, revision } = await subscribe("/paused", ["run.succeeded"]);
    const paused = await setWebhookEnabled(admin, { id, revision, enabled: false });
    await run({ kind: "succeeded" });
    await fanOut(ctx, fence);
    await sendEvents(ctx, fence);
    expect([await rows(id), received]).toEqual([[], []]);
    await setWebhookEnabled(admin, { id, revision: paused.revision, enabled: true });
    await untilAt("/paused", 1);
  });
});

describe("its upkeep", () => {
  it("a new secret signs beside the old one for a day, then alone; neither is ever read back", async () => {
    const { id, revision, secret: old } = await subscribe("/rotated");
    const { secret } = await rotateSecret(admin, { id, revision });
    expect(await testWebhook(admin, { id })).toEqual({ ok: true, status: 200, error: null });
    const [first] = received;
    for (const each of [old, secret]) new Webhook(each).verify(first?.body ?? "", first?.headers as Record<string, string>);
    await ctx.db
      .update(webhooks)
      .set({ previousUntil: new Date(0) })
      .where(eq(webhooks.id, id));
    await testWebhook(admin, { id });
    const second = received[1];
    new Webhook(secret).verify(second?.body ?? "", second?.headers as Record<string, string>);
    expect(() => new Webhook(old).verify(second?.body ?? "", second?.headers as Record<string, string>)).toThrow();
    const [stored, told] = [await rowOf(id), await ctx.db.query.audit.findMany({ where: (row, { eq: is }) => is(row.objectId, id) })];
    expect(told.map(({ verb }) => verb)).toContain("webhook.rotate");
    for (const each of [old, secret, "/rotated"])
      expect(JSON.stringify([{ ...stored, ciphertext: null }, told])).not.toContain(each === "/rotated" ? `${base}/` : each);
    await expect(rotateSecret(admin, { id, revision })).rejects.toMatchObject({ code: "stale" });
  });

  it("what was sent is sent again under its id when somebody asks", async () => {
    const { id } = await subscribe("/again", ["run.succeeded"]);
    await run({ kind: "succeeded" });
    await untilAt("/again", 1);
    const [delivery] = await rows(id);
    await resendEvent(admin, { id: delivery?.id ?? "" });
    await expect(resendEvent(admin, { id: delivery?.id ?? "" })).rejects.toMatchObject({ code: "stale" });
    await untilAt("/again", 2);
    expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  });

  it("an address that the guard does not open is refused, and the error holds no path (SEC-2)", async () => {
    const guarded = guardedHttp({ isOpened: async () => false, own: [] });
    const closed: Ctx = { ...admin, ports: { ...admin.ports, http: guarded } };
    const { id } = await subscribe("/hidden-path");
    const tested = await testWebhook(closed, { id });
    expect(tested).toMatchObject({ ok: false, status: null });
    expect(tested.error).not.toContain("hidden-path");
    expect(received).toEqual([]);
    await guarded.close();
  });
});
