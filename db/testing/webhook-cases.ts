import type { Ctx } from "../../server/engine/context";
import { findHold, keepTimes } from "../../server/engine/retention/retention-settings";
import { createWebhook } from "../../server/engine/webhooks/save-webhook";
import { webhookDeliveries } from "../schema/webhooks";

/** As `mutations.ts` has it. */
interface Scene {
  readonly ctx: Ctx;
  readonly project: { readonly id: string };
}

type Cases = Readonly<Record<string, (scene: Scene) => Promise<object>>>;

const at = (scene: Scene) => ({ projectId: scene.project.id });
const fresh = (scene: Scene) => ({ name: `w-${scene.ctx.ids.randomHex(4)}`, events: ["run.*"] });

async function webhook(scene: Scene): Promise<{ id: string; revision: number }> {
  const { id, revision } = await createWebhook(scene.ctx, { ...at(scene), ...fresh(scene), url: "https://hooks.example.org/x" });
  return { id, revision };
}

const place = async (scene: Scene) => ({ id: (await webhook(scene)).id });

async function failedDelivery(scene: Scene): Promise<{ id: string }> {
  const { id: webhookId } = await webhook(scene);
  const id = scene.ctx.ids.uuid();
  const row = { id, ...at(scene), webhookId, eventId: "run-1", type: "run.failed", subject: "runs/1", event: {}, giveUpAt: new Date() };
  await scene.ctx.db.insert(webhookDeliveries).values({ ...row, state: "failed" });
  return { id };
}

export const WEBHOOK_MUTATIONS: Cases = {
  "webhooks.create": async (scene) => ({ ...at(scene), ...fresh(scene), url: "https://hooks.example.org/y" }),
  "webhooks.change": async (scene) => ({ ...(await webhook(scene)), ...fresh(scene) }),
  "webhooks.setEnabled": async (scene) => ({ ...(await webhook(scene)), enabled: false }),
  "webhooks.rotate": webhook,
  "webhooks.remove": webhook,
  "webhooks.test": place,
  "webhooks.resend": failedDelivery,
  "retention.set": async (scene) => {
    const { platform_events: set } = await keepTimes(scene.ctx.db);
    return { noun: "platform_events", days: 120, revision: set.revision, reason: "a test" };
  },
  "retention.hold": async (scene) => ({ hold: (await findHold(scene.ctx.db)) === null, reason: "a test" }),
};

export const WEBHOOK_QUERIES: Readonly<Record<string, (scene: Scene) => Promise<object | undefined>>> = {
  "retention.get": async () => undefined,
  "retention.preview": async () => ({ noun: "runs", days: 40 }),
  "webhooks.list": async (scene) => at(scene),
  "webhooks.deliveries": async (scene) => ({ ...at(scene), webhookId: (await webhook(scene)).id }),
};
