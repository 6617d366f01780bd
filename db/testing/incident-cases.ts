import { EMPTY_REVIEW } from "../../server/domain/incident/review";
import type { Ctx } from "../../server/engine/context";
import { incidentActions, incidents } from "../schema/incidents";
import { playbooks } from "../schema/playbooks";
import { openAlert } from "./alert-cases";
import { makeUser } from "./ctx";

interface Scene {
  readonly ctx: Ctx;
  readonly project: { readonly id: string; readonly key: string };
}

type Cases = Readonly<Record<string, (scene: Scene) => Promise<object>>>;

const reason = "a test";

/** An incident as grouping leaves it, in the state asked for. */
const incident = (state: "open" | "resolved") => async (scene: Scene) => {
  const { ctx, project } = scene;
  const [id, now] = [ctx.ids.uuid(), new Date()];
  const no = Number.parseInt(ctx.ids.randomHex(3), 16);
  const code = `TEST_${ctx.ids.randomHex(4).toUpperCase()}_BROKEN_500`;
  const row = { id, projectId: project.id, no, code, severity: "P2", state, stateSince: now, openedAt: now };
  await ctx.db.insert(incidents).values({ ...row, ...(state === "resolved" ? { resolvedAt: now, resolvedAs: "itself" } : {}) });
  return { id, revision: 1 };
};
const place = async (scene: Scene) => ({ id: (await incident("open")(scene)).id });

const playbook = {
  title: "the store is slow",
  symptom: "orders wait",
  pattern: "TEST_*",
  checks: ["code_rate" as const],
  meaning: "",
  link: null,
};
const ownPlaybook = async ({ ctx, project }: Scene) => {
  const id = ctx.ids.uuid();
  await ctx.db.insert(playbooks).values({ id, projectId: project.id, ...playbook, title: `p-${ctx.ids.randomHex(4)}`, savedBy: "tests" });
  return { id, revision: 1 };
};

export const INCIDENT_MUTATIONS: Cases = {
  "playbooks.create": async ({ ctx, project }) => ({
    projectId: project.id,
    form: { ...playbook, title: `p-${ctx.ids.randomHex(4)}` },
  }),
  "playbooks.change": async (scene) => ({ ...(await ownPlaybook(scene)), form: { ...playbook, title: `p-${scene.ctx.ids.randomHex(4)}` } }),
  "playbooks.remove": ownPlaybook,
  "incidents.acknowledge": incident("open"),
  "incidents.resolve": async (scene) => ({ ...(await incident("open")(scene)), reason }),
  "incidents.reopen": async (scene) => ({ ...(await incident("resolved")(scene)), reason }),
  "incidents.close": incident("resolved"),
  "incidents.assign": async (scene) => ({
    ...(await incident("open")(scene)),
    ownerId: (await makeUser(scene.ctx, scene.project, "operator")).id,
  }),
  "incidents.escalate": async (scene) => ({ ...(await incident("open")(scene)), severity: "P1", reason }),
  "incidents.saveReview": async (scene) => ({ ...(await place(scene)), revision: 0, form: { ...EMPTY_REVIEW, fix: "restarted" } }),
  "incidents.completeAction": async (scene) => {
    const [{ id: incidentId }, id] = [await incident("open")(scene), scene.ctx.ids.uuid()];
    await scene.ctx.db.insert(incidentActions).values({ id, incidentId, position: 0, what: "alarm", proof: "it rings" });
    return { id, note: "it rang" };
  },
};

export const INCIDENT_QUERIES: Cases = {
  "playbooks.list": async ({ project }) => ({ projectId: project.id }),
  "playbooks.check": async ({ project }) => ({ projectId: project.id, check: "worker_breaker", subject: { workerId: "w-1" } }),
  "incidents.list": async ({ project }) => ({ projectId: project.id }),
  "incidents.stats": async ({ project }) => ({ projectId: project.id }),
  "incidents.get": place,
  "incidents.markdown": place,
  "incidents.ofAlert": async (scene) => ({ alertId: (await openAlert(scene)).id }),
  "incidents.owners": async ({ project }) => ({ projectId: project.id }),
  "incidents.timeline": place,
  "incidents.fixes": async ({ project }) => ({ projectId: project.id, code: "TEST_STEP_BROKEN_500" }),
};
