import { and, eq, sql } from "drizzle-orm";
import { createToken } from "../../server/engine/access/create-token";
import { hashPassword } from "../../server/engine/access/password";
import { mapCode } from "../../server/engine/codes/map-code";
import { proposeCode } from "../../server/engine/codes/propose-code";
import type { Ctx } from "../../server/engine/context";
import { allowHost } from "../../server/engine/hosts/allow-host";
import { applyDefinition } from "../../server/engine/pipelines/apply-definition";
import { createPipeline } from "../../server/engine/pipelines/create-pipeline";
import { loadDraft } from "../../server/engine/pipelines/load-draft";
import { saveDraft } from "../../server/engine/pipelines/save-draft";
import { savePool } from "../../server/engine/pools/save-pool";
import { reviewSettingsOf } from "../../server/engine/reviews/review-settings";
import { loadRoutingTable } from "../../server/engine/routing/load-routing-table";
import { cancelNode } from "../../server/engine/runs/cancel-node";
import { markSuccess } from "../../server/engine/runs/mark-success";
import { pauseRun } from "../../server/engine/runs/pause-run";
import { triggerRun } from "../../server/engine/runs/trigger-run";
import { setSecret } from "../../server/engine/secrets/set-secret";
import { releaseValve } from "../../server/engine/valves/change-valve";
import { closeValve } from "../../server/engine/valves/close-valve";
import { readBound } from "../../server/engine/valves/failure-bound";
import { accounts } from "../schema/access";
import { workerBreakers } from "../schema/breakers";
import { errorCodes } from "../schema/codes";
import { deadLetters } from "../schema/dead-letters";
import { schedules } from "../schema/pipelines";
import { workers } from "../schema/platform";
import { attempts, nodeRuns, runEvents } from "../schema/runs";
import { ALERT_MUTATIONS, ALERT_QUERIES } from "./alert-cases";
import { CAUSE_QUERIES } from "./cause-cases";
import { makeUser } from "./ctx";
import { INCIDENT_MUTATIONS, INCIDENT_QUERIES } from "./incident-cases";
import { WEBHOOK_MUTATIONS, WEBHOOK_QUERIES } from "./webhook-cases";

/** A project with whatever a case needs in it; made by the machine, so that the case's own call is the only one of its caller. */
export interface Scene {
  readonly ctx: Ctx;
  readonly project: { readonly id: string; readonly key: string };
  /** Who will call; the cases of one's own account need to know. */
  readonly callerId: string;
}

const PASSWORD = "a long enough password";
const reason = "a test";
const nodes = [
  { key: "a", type: "command", with: { argv: ["true"] } },
  { key: "b", type: "command", needs: ["a"], with: { argv: ["true"] } },
];

export const definition = (name: string, more: object = {}) => ({
  apiVersion: "apollo11/v1",
  kind: "Pipeline",
  metadata: { name, title: `Pipeline ${name}`, owner: "team" },
  spec: { domain: "TEST", nodes, schedules: [{ name: "nightly", cron: "0 2 * * *", timezone: "UTC" }], ...more },
});

const fresh = (scene: Scene, prefix: string) => `${prefix}-${scene.ctx.ids.randomHex(4)}`;

export async function livePipeline(scene: Scene): Promise<{ projectId: string; pipelineId: string; name: string }> {
  const name = fresh(scene, "live");
  const { pipelineId } = await applyDefinition(scene.ctx, {
    projectId: scene.project.id,
    name,
    source: { kind: "value", value: definition(name) },
  });
  if (!pipelineId) throw new Error("no pipeline was made");
  return { projectId: scene.project.id, pipelineId, name };
}

async function drawnPipeline(scene: Scene) {
  const projectId = scene.project.id;
  const { pipelineId } = await createPipeline(scene.ctx, { projectId, name: fresh(scene, "drawn"), title: "Drawn" });
  const draft = await loadDraft(scene.ctx, { projectId, pipelineId });
  const spec = { ...draft.definition.spec, nodes: definition("x").spec.nodes };
  const { revision } = await saveDraft(scene.ctx, {
    projectId,
    pipelineId,
    revision: draft.revision,
    definition: { ...draft.definition, spec },
  });
  return { projectId, pipelineId, revision, definition: { ...draft.definition, spec } };
}

async function liveRun(scene: Scene): Promise<{ runId: string; reason: string }> {
  const { projectId, pipelineId } = await livePipeline(scene);
  const { id } = await triggerRun(scene.ctx, { projectId, pipeline: pipelineId, kind: "manual" });
  return { runId: id, reason };
}

async function boundSeen(scene: Scene) {
  const { bound, revision } = await readBound(scene.ctx.db, scene.project.id);
  return { bound: { ...bound, percent: 40 }, revision };
}

/** A run whose first node was canceled. */
async function runWithoutA(scene: Scene) {
  const run = await liveRun(scene);
  await cancelNode(scene.ctx, { ...run, key: "a" });
  return { ...run, key: "a" };
}

/** A run whose first node is a success and whose second was canceled. */
async function runWithoutB(scene: Scene) {
  const run = await runWithoutA(scene);
  await markSuccess(scene.ctx, run);
  await cancelNode(scene.ctx, { ...run, key: "b" });
  return run;
}

/** A run whose first node was tried once. */
async function triedRun(scene: Scene) {
  const { runId } = await liveRun(scene);
  const [node] = await scene.ctx.db
    .select()
    .from(nodeRuns)
    .where(and(eq(nodeRuns.runId, runId), eq(nodeRuns.key, "a")));
  if (!node) throw new Error("no node");
  const { generation, executionId } = node;
  await scene.ctx.db.insert(attempts).values({
    ...{ runId, nodeKey: "a", generation, no: 1, executionId, token: 1, runState: "RUNNING" },
    ...{ traceId: "0".repeat(32), spanId: "0".repeat(16), dispatchedAt: new Date() },
  });
  return { runId, key: "a" };
}

async function closedValve(scene: Scene): Promise<number> {
  const target = { kind: "task", task: fresh(scene, "task") } as const;
  return (await closeValve(scene.ctx, { projectId: scene.project.id, target, reason })).no;
}

/** A run whose first node was lost too often, as the leader's sweep ends it. */
async function deadRun(scene: Scene): Promise<{ id: string }> {
  const { runId } = await liveRun(scene);
  const { db } = scene.ctx;
  const node = and(eq(nodeRuns.runId, runId), eq(nodeRuns.key, "a"));
  await db.update(nodeRuns).set({ state: "RUNNING", token: 1, attemptNo: 1, attempts: 1 }).where(node);
  await db.update(nodeRuns).set({ state: "MANUAL_REVIEW", token: 2 }).where(node);
  await db.insert(runEvents).values({
    ...{ runId, event: "workerLost", nodeKey: "a", generation: 1, attemptNo: 1, from: "RUNNING", to: "MANUAL_REVIEW" },
    ...{ actor: { kind: "system", id: "test", label: "test" }, cause: "lost", data: { code: "APOLLO_WORKER_LOST_503" } },
  });
  const [letter] = await db.select({ id: deadLetters.id }).from(deadLetters).where(eq(deadLetters.runId, runId));
  if (!letter) throw new Error("no letter");
  return letter;
}

export const CODE_FACTS = {
  titleEn: "Out of stock",
  titleZh: "缺货",
  meaningEn: "Nothing is left.",
  meaningZh: "没有库存。",
  owner: "team",
  grade: "P2" as const,
  impact: "Orders wait.",
  slaMinutes: 60,
  playbook: "Look at the stock.",
};

async function proposedCode(scene: Scene): Promise<{ projectId: string; code: string }> {
  const code = `TEST_STOCK_${scene.ctx.ids.randomHex(6).toUpperCase()}_409`;
  await proposeCode(scene.ctx, { ...at(scene), code, facts: CODE_FACTS, isNoDuplicate: true });
  return { ...at(scene), code };
}

async function registeredCode(scene: Scene): Promise<{ projectId: string; code: string }> {
  const made = await proposedCode(scene);
  await scene.ctx.db.update(errorCodes).set({ state: "registered", registeredAt: new Date() }).where(eq(errorCodes.code, made.code));
  return made;
}

async function mappingOf(scene: Scene) {
  const { projectId, code: to } = await registeredCode(scene);
  const from = { code: "TEST_STEP_ODD_1", stackHash: scene.ctx.ids.randomHex(8), shape: "odd" };
  return { projectId, from, to, reason };
}

async function member(scene: Scene): Promise<{ projectId: string; userId: string }> {
  const user = await makeUser(scene.ctx, scene.project, "viewer");
  return { projectId: scene.project.id, userId: user.id };
}

async function knownWorker({ ctx }: Scene): Promise<string> {
  const workerId = `w-${ctx.ids.randomHex(4)}`;
  const facts = { groups: ["default"], slots: 1, hostname: "h", pid: 1, fingerprint: {} };
  await ctx.db.insert(workers).values({ id: workerId, bootId: ctx.ids.uuid(), expiresAt: new Date(), ...facts });
  return workerId;
}

/** A worker whose breaker stands so. */
const breakerOf = (state: "closed" | "held" | "probing") => async (scene: Scene) => {
  const workerId = await knownWorker(scene);
  const now = new Date();
  await scene.ctx.db.insert(workerBreakers).values({ workerId, state, since: now, countFrom: now, checkedUntil: now });
  return { workerId, seen: state, reason };
};

const at = (scene: Scene) => ({ projectId: scene.project.id });

/** Of every mutation an input that must succeed for who may: a new mutation without one fails the test that walks them. */
export const MUTATIONS: Readonly<Record<string, (scene: Scene) => Promise<object>>> = {
  "session.changePassword": async ({ ctx, callerId }) => {
    const password = await hashPassword(PASSWORD, "00");
    await ctx.db.delete(accounts).where(eq(accounts.userId, callerId));
    await ctx.db.insert(accounts).values({ id: ctx.ids.uuid(), accountId: callerId, providerId: "credential", userId: callerId, password });
    return { currentPassword: PASSWORD, newPassword: `${PASSWORD}, and another` };
  },
  "projects.create": async (scene) => ({ key: fresh(scene, "project"), title: "Another" }),
  "pipelines.create": async (scene) => ({ ...at(scene), name: fresh(scene, "new"), title: "New 新" }),
  "pipelines.saveDraft": async (scene) => {
    const { revision, ...drawn } = await drawnPipeline(scene);
    return { ...drawn, revision, layout: { a: { x: 1, y: 1 } } };
  },
  "pipelines.discardDraft": async (scene) => {
    const live = await livePipeline(scene);
    const { definition: draft, revision } = await loadDraft(scene.ctx, { ...at(scene), pipelineId: live.pipelineId });
    const saved = await saveDraft(scene.ctx, { ...at(scene), pipelineId: live.pipelineId, revision, definition: draft });
    return { ...at(scene), pipelineId: live.pipelineId, revision: saved.revision };
  },
  "pipelines.publish": async (scene) => {
    const { definition: _, ...drawn } = await drawnPipeline(scene);
    return { ...drawn, message: "first" };
  },
  "pipelines.applyText": async (scene) => {
    const name = fresh(scene, "applied");
    return { ...at(scene), name, text: JSON.stringify(definition(name)) };
  },
  "pipelines.setEnabled": async (scene) => ({ ...at(scene), pipelineId: (await livePipeline(scene)).pipelineId, enabled: false }),
  "pipelines.setArchived": async (scene) => ({ ...at(scene), pipelineId: (await livePipeline(scene)).pipelineId, archived: true }),
  "pipelines.delete": async (scene) => ({ ...at(scene), pipelineId: (await livePipeline(scene)).pipelineId, reason }),
  "pipelines.rename": async (scene) => ({ ...at(scene), pipelineId: (await livePipeline(scene)).pipelineId, title: "Another title" }),
  "runs.trigger": async (scene) => ({ ...at(scene), pipeline: (await livePipeline(scene)).pipelineId }),
  "runs.retry": runWithoutA,
  "runs.skip": async (scene) => ({ ...(await liveRun(scene)), key: "a" }),
  "runs.cancelNode": async (scene) => ({ ...(await liveRun(scene)), key: "a" }),
  "runs.rerunFrom": runWithoutB,
  "runs.markSuccess": async (scene) => ({ ...(await runWithoutA(scene)), output: { rows: 1 } }),
  "runs.cancel": liveRun,
  "runs.pause": liveRun,
  "runs.resume": async (scene) => {
    const run = await liveRun(scene);
    await pauseRun(scene.ctx, run);
    return run;
  },
  "runs.rerun": liveRun,
  "codes.propose": async (scene) => ({
    ...at(scene),
    ...{ code: `TEST_NEW_${scene.ctx.ids.randomHex(6).toUpperCase()}_1`, facts: CODE_FACTS, isNoDuplicate: true },
  }),
  "codes.approve": async (scene) => ({ ...(await proposedCode(scene)), revision: 1 }),
  "codes.change": async (scene) => ({ ...(await proposedCode(scene)), revision: 1, facts: { ...CODE_FACTS, grade: "P1" } }),
  "codes.deprecate": async (scene) => ({ ...(await registeredCode(scene)), reason }),
  "codes.withdraw": async (scene) => ({ ...(await proposedCode(scene)), reason }),
  "codes.setReviewers": async (scene) => ({ ...at(scene), reviewers: 2 }),
  "codes.map": mappingOf,
  "codes.unmap": async (scene) => ({ ...at(scene), ...(await mapCode(scene.ctx, await mappingOf(scene))), reason }),
  "routing.save": async (scene) => {
    const { version } = await loadRoutingTable(scene.ctx, at(scene));
    return { ...at(scene), version, rules: [{ name: "all", pattern: "*", action: "review" }], note: reason };
  },
  "routing.setBound": async (scene) => ({ ...at(scene), ...(await boundSeen(scene)) }),
  "reviews.decide": async (scene) => {
    const { runId } = await liveRun(scene);
    await scene.ctx.db.execute(sql`update node_runs set state = 'MANUAL_REVIEW' where run_id = ${runId}::uuid and key = 'a'`);
    return { ...at(scene), action: "retry", reason, items: [{ runId, key: "a", generation: 1 }] };
  },
  "reviews.setLimit": async (scene) => {
    const { revision } = await reviewSettingsOf(scene.ctx.db, scene.project.id);
    return { ...at(scene), slaMinutes: 60, revision };
  },
  "valves.close": async (scene) => ({ ...at(scene), target: { kind: "task", task: fresh(scene, "task") }, reason }),
  "valves.release": async (scene) => ({ no: await closedValve(scene), rate: 60, reason }),
  "valves.stopRelease": async (scene) => {
    const no = await closedValve(scene);
    await releaseValve(scene.ctx, { no, rate: 60, reason });
    return { no, reason };
  },
  "deadLetters.release": async (scene) => ({ ...(await deadRun(scene)), reason }),
  "deadLetters.discard": async (scene) => ({ ...(await deadRun(scene)), reason }),
  ...ALERT_MUTATIONS,
  ...INCIDENT_MUTATIONS,
  ...WEBHOOK_MUTATIONS,
  "schedules.toggle": async (scene) => {
    const { pipelineId } = await livePipeline(scene);
    const [schedule] = await scene.ctx.db.select().from(schedules).where(eq(schedules.pipelineId, pipelineId));
    return { ...at(scene), scheduleId: schedule?.id, enabled: false, reason };
  },
  "imports.importCrontab": async (scene) => ({ ...at(scene), text: `5 4 * * * /opt/${fresh(scene, "job")}\n`, timezone: "Asia/Shanghai" }),
  "members.add": async (scene) => ({
    ...at(scene),
    email: `${fresh(scene, "m")}@example.org`,
    name: "New",
    role: "viewer",
    initialPassword: PASSWORD,
  }),
  "members.setRole": async (scene) => ({ ...(await member(scene)), role: "operator" }),
  "members.remove": member,
  "tokens.create": async (scene) => ({ ...at(scene), name: "CI", role: "operator" }),
  "tokens.revoke": async (scene) => {
    const { id } = await createToken(scene.ctx, { ...at(scene), name: "old", role: "viewer" });
    return { ...at(scene), tokenId: id };
  },
  "secrets.set": async (scene) => ({ ...at(scene), name: "erp", value: "hunter2" }),
  "secrets.delete": async (scene) => {
    await setSecret(scene.ctx, { ...at(scene), name: "gone", value: "x" });
    return { ...at(scene), name: "gone" };
  },
  "hosts.allow": async (scene) => ({ ...at(scene), host: "orders.internal", port: 8080, reason }),
  "hosts.remove": async (scene) => {
    const { id } = await allowHost(scene.ctx, { ...at(scene), host: "old.internal", port: 80, reason });
    return { ...at(scene), id };
  },
  "breakers.hold": breakerOf("closed"),
  "breakers.release": breakerOf("held"),
  "breakers.close": breakerOf("probing"),
  "pools.save": async (scene) => ({ ...at(scene), name: fresh(scene, "pool"), slots: 3 }),
  "pools.delete": async (scene) => {
    const name = fresh(scene, "gone");
    await savePool(scene.ctx, { ...at(scene), name, slots: 1 });
    return { ...at(scene), name, reason };
  },
  "workers.limitGroup": async (scene) => ({ group: fresh(scene, "group"), slots: 2, reason }),
  "workers.drain": async (scene) => ({ workerId: await knownWorker(scene), draining: true, reason }),
};

/** The same for what only reads. */
export const QUERIES: Readonly<Record<string, (scene: Scene) => Promise<object | undefined>>> = {
  "session.me": async () => undefined,
  "projects.list": async () => undefined,
  "home.get": async (scene) => at(scene),
  "pipelines.list": async (scene) => at(scene),
  "pipelines.get": async (scene) => ({ ...at(scene), pipelineId: (await livePipeline(scene)).pipelineId }),
  "pipelines.draft": async (scene) => ({ ...at(scene), pipelineId: (await livePipeline(scene)).pipelineId }),
  "pipelines.versions": async (scene) => ({ ...at(scene), pipelineId: (await livePipeline(scene)).pipelineId }),
  "pipelines.version": async (scene) => ({ ...at(scene), pipelineId: (await livePipeline(scene)).pipelineId, no: 1 }),
  "pipelines.diff": async (scene) => ({ ...at(scene), pipelineId: (await livePipeline(scene)).pipelineId, from: 1, to: "draft" }),
  "pipelines.previewStop": async (scene) => ({ ...at(scene), pipelineId: (await livePipeline(scene)).pipelineId }),
  "runs.list": async (scene) => at(scene),
  "runs.get": async (scene) => ({ runId: (await liveRun(scene)).runId }),
  "runs.attempt": async (scene) => ({ ...(await triedRun(scene)), generation: 1, no: 1 }),
  "runs.events": async (scene) => ({ runId: (await liveRun(scene)).runId }),
  "runs.logs": triedRun,
  "runs.previewRerun": async (scene) => ({ runId: (await runWithoutA(scene)).runId, key: "a", action: "retry" }),
  "codes.list": async (scene) => at(scene),
  "codes.get": registeredCode,
  "codes.settings": async (scene) => at(scene),
  "codes.triage": async (scene) => at(scene),
  "routing.get": async (scene) => at(scene),
  "routing.versions": async (scene) => at(scene),
  "routing.simulate": async (scene) => at(scene),
  "routing.bound": async (scene) => at(scene),
  "reviews.deferred": async (scene) => at(scene),
  "reviews.list": async (scene) => at(scene),
  "reviews.summary": async (scene) => at(scene),
  "valves.list": async (scene) => at(scene),
  "valves.held": async (scene) => ({ ...at(scene), no: await closedValve(scene) }),
  "deadLetters.list": async (scene) => at(scene),
  "deadLetters.get": deadRun,
  ...ALERT_QUERIES,
  ...INCIDENT_QUERIES,
  ...CAUSE_QUERIES,
  ...WEBHOOK_QUERIES,
  "schedules.list": async (scene) => at(scene),
  "fires.list": async (scene) => at(scene),
  "imports.previewCrontab": async (scene) => ({ ...at(scene), text: "5 4 * * * true\n", timezone: "UTC" }),
  "audit.list": async (scene) => at(scene),
  "audit.verify": async (scene) => at(scene),
  "members.list": async (scene) => at(scene),
  "tokens.list": async (scene) => at(scene),
  "secrets.list": async (scene) => at(scene),
  "hosts.list": async (scene) => at(scene),
  "breakers.list": async () => undefined,
  "breakers.board": async () => ({ hours: 1 }),
  "pools.list": async (scene) => at(scene),
  "workers.list": async () => undefined,
  "workers.tasks": async () => undefined,
};
