import { and, eq, sql } from "drizzle-orm";
import { nodeRuns } from "@/db/schema/runs";
import { MUTE_MS } from "@/server/domain/links/action";
import { isTerminalNode, type NodeState, type RunState } from "@/server/domain/run/states";
import type { Ctx } from "@/server/engine/context";
import { previewStop } from "@/server/engine/pipelines/preview-stop";
import { previewRerun } from "@/server/engine/runs/preview-rerun";
import type { LinkRow } from "./link-row";

/** What a link will do, told before it does it. */
export type LinkEffect =
  | {
      readonly kind: "node";
      readonly runs: readonly string[];
      /** Of those, what has succeeded already and takes effect once more. */
      readonly again: readonly string[];
      readonly reused: readonly string[];
      readonly runState: RunState;
      /** Its last attempt may have taken effect, and nobody knows. */
      readonly maybeRepeated: boolean;
    }
  | { readonly kind: "run"; readonly canceled: readonly string[]; readonly kept: readonly string[] }
  | { readonly kind: "pipeline"; readonly liveRuns: number; readonly waitingRuns: number; readonly schedules: readonly string[] }
  | { readonly kind: "worker"; readonly running: number }
  | { readonly kind: "mute"; readonly until: Date; readonly code: string }
  | { readonly kind: "acknowledge" };

/** The blast radius, from the very previews that the console shows; null where nothing would come of it. */
export async function effectOf(ctx: Ctx, link: LinkRow, now: Date): Promise<LinkEffect | null> {
  const { runId, nodeKey, pipelineId, workerId } = link.target;
  switch (link.action) {
    case "retry_node":
    case "skip_node":
      return runId === null || nodeKey === null ? null : nodeEffect(ctx, runId, nodeKey, link.action === "skip_node" ? "skip" : "retry");
    case "cancel_run": {
      if (runId === null) return null;
      const nodes = await ctx.db
        .select({ key: nodeRuns.key, state: nodeRuns.state })
        .from(nodeRuns)
        .where(eq(nodeRuns.runId, runId))
        .orderBy(nodeRuns.ord);
      const keys = (over: boolean) => nodes.filter(({ state }) => isTerminalNode(state as NodeState) === over).map(({ key }) => key);
      return { kind: "run", canceled: keys(false), kept: keys(true) };
    }
    case "pause_pipeline": {
      if (pipelineId === null) return null;
      const { liveRuns, waitingRuns, schedules } = await previewStop(ctx, { projectId: link.projectId, pipelineId });
      return { kind: "pipeline", liveRuns: liveRuns.length, waitingRuns, schedules: schedules.map(({ name }) => name) };
    }
    case "drain_worker":
    case "hold_worker": {
      if (workerId === null) return null;
      const running = await ctx.db.$count(nodeRuns, and(eq(nodeRuns.workerId, workerId), sql`${nodeRuns.state} = 'RUNNING'`));
      return { kind: "worker", running };
    }
    case "mute":
      return { kind: "mute", until: new Date(now.getTime() + MUTE_MS), code: link.alert.code };
    case "acknowledge":
      return { kind: "acknowledge" };
  }
}

async function nodeEffect(ctx: Ctx, runId: string, key: string, action: "retry" | "skip"): Promise<LinkEffect | null> {
  const preview = await previewRerun(ctx, { runId, key, action });
  if (preview.kind === "refused") return null;
  const [node] = await ctx.db
    .select({ maybeRepeated: nodeRuns.maybeRepeated })
    .from(nodeRuns)
    .where(and(eq(nodeRuns.runId, runId), eq(nodeRuns.key, key)));
  const { runs, again, reused, runState } = preview;
  return { kind: "node", runs, again, reused, runState, maybeRepeated: node?.maybeRepeated ?? false };
}
