import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { and, desc, eq, isNull } from "drizzle-orm";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, it } from "vitest";
import { incidents } from "@/db/schema/incidents";
import { actingAs, makeProject, makeUser, recordingPorts, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { node } from "@/db/testing/plans";
import { drive, makeFence, makePipeline, makeWorker, startRun, statesOf } from "@/db/testing/runs";
import { guardedHttp } from "@/server/adapters/http-guarded";
import { EMPTY_REVIEW } from "@/server/domain/incident/review";
import { decideNew } from "@/server/engine/alerts/decide-new";
import { saveChannel } from "@/server/engine/channels/save-channel";
import { sendDue } from "@/server/engine/channels/send-due";
import type { Ctx } from "@/server/engine/context";
import { closeIncident, resolveIncident } from "@/server/engine/incidents/act-on-incident";
import { groupNew } from "@/server/engine/incidents/group-new";
import { fixesOf } from "@/server/engine/incidents/list-fixes";
import { saveIncidentReview } from "@/server/engine/incidents/save-review";
import { openLink } from "./open-link";
import { pressLink } from "./press-link";

const CODE = "TEST_DB_TIMEOUT_504";
const SECRET = `whsec_${Buffer.alloc(32, 9).toString("base64")}`;
const FIX = "The pool of connections was made larger and its wait bounded";

interface Page {
  readonly type: string;
  readonly data: { code: string; facts: string[]; links: { url: string }[]; buttons: { action: string; label: string; url: string }[] };
}

const received: { headers: IncomingHttpHeaders; body: string }[] = [];
const receiver = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => {
    received.push({ headers: request.headers, body: Buffer.concat(parts).toString() });
    response.writeHead(204).end();
  });
});
const http = guardedHttp({ isOpened: async () => true, own: [] });
let database: TestDatabase;
let ctx: Ctx;
let offsetMs = 0;

beforeAll(async () => {
  database = await openTestDatabase();
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  ctx = testCtx(database.db, { now: () => new Date(Date.now() + offsetMs), ports: { ...recordingPorts(), http } });
});
afterAll(async () => {
  await http.close();
  receiver.closeAllConnections();
  await new Promise<void>((resolve) => receiver.close(() => resolve()));
  await database.close();
});

/** The newest page, once its signature holds; the receiver's clock goes with that of the test. */
function page(): Page {
  const { headers, body } = received.at(-1) ?? { headers: {}, body: "" };
  const at = new Date(Number(headers["webhook-timestamp"]) * 1_000);
  expect(headers["webhook-signature"]).toBe(new Webhook(SECRET).sign(String(headers["webhook-id"]), at, body));
  expect(Math.abs(at.getTime() - ctx.clock.now().getTime())).toBeLessThan(5 * 60_000);
  return JSON.parse(body) as Page;
}

it("a page arrives signed, its button retries the node, the incident is reviewed and closed, and the code that comes back says what fixed it (ALT-2, ALT-6, INC-1, INC-3)", async () => {
  const fence = await makeFence(ctx);
  const project = await makeProject(ctx);
  const person = await makeUser(ctx, project, "editor");
  const admin = actingAs(ctx, await makeUser(ctx, project, "admin"));
  const onCall = actingAs(ctx, person);
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/pages`;
  await saveChannel(admin, { projectId: project.id, name: "on call", access: { kind: "webhook", url, secret: SECRET } });
  const group = `g-${ctx.ids.randomHex(4)}`;
  const nodes = [node("a", [], { group, retry: { policy: "none" } }), node("b", ["a"], { group })];
  const worker = await makeWorker(ctx, [group]);
  const fail = async () => {
    const runId = await startRun(ctx, await makePipeline(ctx, project, nodes));
    await drive(ctx, worker, { groups: [group], end: () => ({ kind: "failed", code: CODE, retryable: false }) });
    await decideNew(ctx, fence);
    await groupNew(ctx, fence);
    await sendDue(ctx, fence);
    return runId;
  };

  const runId = await fail();
  const { type, data } = page();
  expect({ type, code: data.code }).toEqual({ type: "apollo.alert", code: CODE });
  expect(data.facts[0]).toMatch(new RegExp(`^attempt 1 on ${worker.id}: ${CODE} at \\d{4}-.*Z$`));
  expect(data.links.map((link) => new URL(link.url).pathname)).toEqual([`/runs/${runId}`, `/codes/${CODE}`]);
  const retry = data.buttons[0];
  expect(retry).toMatchObject({ action: "retry_node", label: "Retry the node" });

  const token = new URL(retry?.url ?? "").pathname.replace("/link/", "");
  expect((await openLink(onCall, { token })).effect).toMatchObject({ kind: "node", runs: ["a", "b"], reused: [] });
  await pressLink(onCall, { token });
  await drive(ctx, worker, { groups: [group], end: () => ({ kind: "succeeded" }) });
  expect(await statesOf(ctx, runId)).toEqual({ a: "SUCCESS", b: "SUCCESS" });

  const [incident] = await ctx.db
    .select()
    .from(incidents)
    .where(and(eq(incidents.projectId, project.id), isNull(incidents.resolvedAt)));
  const { id = "", revision = 0 } = incident ?? {};
  const resolved = await resolveIncident(onCall, { id, revision, reason: "it answers again" });
  await expect(closeIncident(onCall, { id, revision: resolved.revision })).rejects.toMatchObject({ code: "unprocessable" });
  const action = {
    id: ctx.ids.uuid(),
    what: "an alarm on waits for a connection",
    ownerId: onCall.principal.kind === "user" ? onCall.principal.id : "",
  };
  const form = { ...EMPTY_REVIEW, rootCause: "dependency" as const, impact: ["customers" as const], fix: FIX, codes: [CODE] };
  await saveIncidentReview(onCall, {
    id,
    revision: 0,
    form: { ...form, actions: [{ ...action, due: "2030-01-01", proof: "it rings in a drill" }] },
  });
  expect((await closeIncident(onCall, { id, revision: resolved.revision })).state).toBe("closed");

  offsetMs = 60 * 60_000;
  const before = received.length;
  await fail();
  expect(received.length).toBe(before + 1);
  expect(page().data.facts).toContain(`what fixed it last time (incident #1): ${FIX}`);
  expect(await fixesOf(onCall, { projectId: project.id, code: CODE })).toMatchObject([{ no: 1, fix: FIX }]);
  const [again] = await ctx.db.select().from(incidents).where(eq(incidents.projectId, project.id)).orderBy(desc(incidents.no)).limit(1);
  expect(again).toMatchObject({ no: 2, recurrenceOf: id });
});
