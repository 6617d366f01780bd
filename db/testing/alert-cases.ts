import { SHIPPED_POLICY } from "../../server/domain/alert/policy";
import { createSilence } from "../../server/engine/alerts/silences";
import { saveChannel } from "../../server/engine/channels/save-channel";
import type { Ctx } from "../../server/engine/context";
import { mintLinks } from "../../server/engine/links/mint-links";
import { alertDeliveries, alerts } from "../schema/alerts";

/** As `mutations.ts` has it. */
interface Scene {
  readonly ctx: Ctx;
  readonly project: { readonly id: string; readonly key: string };
}

type Cases = Readonly<Record<string, (scene: Scene) => Promise<object>>>;

const reason = "a test";
const at = (scene: Scene) => ({ projectId: scene.project.id });
const soon = () => new Date(Date.now() + 3_600_000);

/** An open alert, as a decision leaves one. */
export async function openAlert({ ctx, project }: Scene): Promise<{ id: string }> {
  const [id, now] = [ctx.ids.uuid(), new Date()];
  const no = Number.parseInt(ctx.ids.randomHex(3), 16);
  const row = {
    id,
    projectId: project.id,
    no,
    key: `code:${id}`,
    kind: "code",
    code: "TEST_STEP_BROKEN_500",
    grade: "P2",
    message: "it broke",
  };
  await ctx.db.insert(alerts).values({ ...row, label: "orders / load", count: 1, firstAt: now, lastAt: now, sentAt: now });
  return { id };
}

async function channel(scene: Scene): Promise<{ id: string }> {
  const access = { kind: "slack", url: "https://hooks.example.org/x" } as const;
  const { id } = await saveChannel(scene.ctx, { ...at(scene), name: `c-${scene.ctx.ids.randomHex(4)}`, access });
  return { id };
}

async function failedDelivery(scene: Scene): Promise<{ id: string }> {
  const { id: channelId } = await channel(scene);
  const id = scene.ctx.ids.uuid();
  await scene.ctx.db.insert(alertDeliveries).values({ id, projectId: scene.project.id, channelId, message: {}, state: "failed" });
  return { id };
}

/** A button of an alert's message, as a channel got it. */
async function button(scene: Scene): Promise<{ token: string }> {
  const { id: alertId } = await openAlert(scene);
  const target = { runId: null, nodeKey: null, pipelineId: null, workerId: null };
  const facts = { alert: { acknowledgedBy: null, resolved: false }, node: null, run: null, pipeline: null, worker: null };
  const made = { projectId: scene.project.id, alertId, target, facts, actions: ["acknowledge"] as const, user: null };
  const [link] = await mintLinks(scene.ctx, scene.ctx.db, { ...made, maker: { kind: "channel", label: "ops" } });
  return { token: link?.path.split("/").at(-1) ?? "" };
}

export const ALERT_MUTATIONS: Cases = {
  "alerts.acknowledge": openAlert,
  "alerts.resolve": async (scene) => ({ ...(await openAlert(scene)), reason }),
  "alerts.savePolicy": async (scene) => {
    const latest = await scene.ctx.db.query.alertPolicies.findMany({ where: (row, { eq }) => eq(row.projectId, scene.project.id) });
    return { ...at(scene), revision: latest.length, policy: SHIPPED_POLICY };
  },
  "links.make": async (scene) => ({ alertId: (await openAlert(scene)).id, action: "acknowledge" }),
  "links.open": button,
  "links.press": button,
  "silences.create": async (scene) => ({ ...at(scene), pattern: "*_TIMEOUT_*", reason, endsAt: soon() }),
  "silences.end": async (scene) => {
    const { id } = await createSilence(scene.ctx, { ...at(scene), pattern: "TEST_*", reason, endsAt: soon() });
    return { id };
  },
  "channels.save": async (scene) => ({
    ...at(scene),
    name: `c-${scene.ctx.ids.randomHex(4)}`,
    access: { kind: "wecom", url: "https://hooks.example.org/y" },
  }),
  "channels.remove": channel,
  "channels.test": channel,
  "channels.resend": failedDelivery,
};

export const ALERT_QUERIES: Cases = {
  "alerts.list": async (scene) => at(scene),
  "alerts.get": openAlert,
  "alerts.count": async (scene) => at(scene),
  "alerts.retrying": async (scene) => at(scene),
  "alerts.noise": async (scene) => at(scene),
  "alerts.policy": async (scene) => at(scene),
  "alerts.simulate": async (scene) => ({ ...at(scene), policy: SHIPPED_POLICY }),
  "links.offered": async (scene) => ({ alertId: (await openAlert(scene)).id }),
  "silences.list": async (scene) => at(scene),
  "channels.list": async (scene) => at(scene),
  "channels.deliveries": async (scene) => ({ ...at(scene), channelId: (await channel(scene)).id }),
};
