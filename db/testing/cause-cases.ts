import { NO_COUNTS } from "../../server/domain/root-cause/counts";
import type { Ctx } from "../../server/engine/context";
import { dependencies } from "../schema/dependencies";
import { rootCauseCards } from "../schema/root-causes";

interface Scene {
  readonly ctx: Ctx;
  readonly project: { readonly id: string; readonly key: string };
}

const NOW = new Date("2026-11-02T02:00:00Z");
const code = "TEST_STEP_BROKEN_500";

async function cause({ ctx, project }: Scene) {
  const id = ctx.ids.uuid();
  const times = { openedAt: NOW, countedUntil: NOW, burstAt: NOW, endedAt: NOW };
  await ctx.db
    .insert(rootCauseCards)
    .values({ id, projectId: project.id, code, ...times, total: 51, peak: 51, minutes: [], counts: NO_COUNTS });
  return { projectId: project.id, id };
}

async function dependency({ ctx, project }: Scene) {
  const name = `h-${ctx.ids.randomHex(4)}.example.org`;
  await ctx.db.insert(dependencies).values({ projectId: project.id, kind: "host", name, firstSeenAt: NOW, lastSeenAt: NOW });
  return { projectId: project.id, kind: "host", name };
}

export const CAUSE_QUERIES: Readonly<Record<string, (scene: Scene) => Promise<object>>> = {
  "rootCauses.list": async ({ project }) => ({ projectId: project.id }),
  "rootCauses.get": cause,
  "dependencies.list": async ({ project }) => ({ projectId: project.id }),
  "dependencies.get": dependency,
  "advice.code": async ({ project }) => ({ projectId: project.id, code }),
  "advice.node": async ({ ctx, project }) => ({ projectId: project.id, pipelineId: ctx.ids.uuid(), nodeKey: "a" }),
};
