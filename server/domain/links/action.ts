import { z } from "zod";
import type { Permission } from "@/server/domain/access/roles";
import type { ACTIONS } from "@/server/domain/alert/policy";
import type { BreakerState } from "@/server/domain/breaker/breaker";
import { possibleNodeActions, possibleRunActions } from "@/server/domain/run/possible";
import type { NodeState, RunState } from "@/server/domain/run/states";

/** What a button of an alert's message can do, in the order in which they stand. */
export const LINK_ACTIONS = [
  "retry_node",
  "acknowledge",
  "mute",
  "skip_node",
  "pause_pipeline",
  "cancel_run",
  "drain_worker",
  "hold_worker",
] as const;
export type LinkAction = (typeof LINK_ACTIONS)[number];

/** How long one can be used. */
export const LINK_MS = 15 * 60_000;
export const MUTE_MS = 60 * 60_000;

export const linkTargetSchema = z.object({
  runId: z.string().nullable(),
  nodeKey: z.string().nullable(),
  pipelineId: z.string().nullable(),
  workerId: z.string().nullable(),
});
export type LinkTarget = z.output<typeof linkTargetSchema>;

/** What a button acts on, as it is now; null where there is no such thing (any more). */
export interface LinkFacts {
  readonly alert: { readonly acknowledgedBy: string | null; readonly resolved: boolean } | null;
  readonly node: { readonly state: NodeState; readonly generation: number; readonly token: number } | null;
  readonly run: { readonly state: RunState; readonly pausedByPerson: boolean } | null;
  readonly pipeline: { readonly enabled: boolean; readonly archived: boolean } | null;
  readonly worker: { readonly draining: boolean; readonly breaker: BreakerState } | null;
}

/** What it takes to press it. */
export const LINK_PERMISSIONS = {
  retry_node: "run.intervene",
  acknowledge: "alert.handle",
  mute: "alert.handle",
  skip_node: "run.intervene",
  pause_pipeline: "schedule.toggle",
  cancel_run: "run.intervene",
  drain_worker: "administrator",
  hold_worker: "administrator",
} as const satisfies Record<LinkAction, Permission | "administrator">;

/** The button for what a rule says is to be done; null for what no machine can do. A worker is restarted by draining it first. */
const REQUIRED: Record<(typeof ACTIONS)[number], LinkAction | null> = {
  restart_worker: "drain_worker",
  drain_worker: "drain_worker",
  retry: "retry_node",
  pause: "pause_pipeline",
  call_owner: null,
};

const isAction = (word: string): word is keyof typeof REQUIRED => Object.hasOwn(REQUIRED, word);

/** The button of what an alert says is to be done; null where none can do it. */
export const requiredLink = (required: { readonly action: string } | null): LinkAction | null =>
  required !== null && isAction(required.action) ? REQUIRED[required.action] : null;

function isPossible(action: LinkAction, { alert, node, run, pipeline, worker }: LinkFacts): boolean {
  switch (action) {
    case "acknowledge":
      return alert !== null && !alert.resolved && alert.acknowledgedBy === null;
    case "mute":
      return alert !== null && !alert.resolved;
    case "retry_node":
      return node !== null && pipeline?.archived === false && possibleNodeActions(node.state).includes("retry");
    case "skip_node":
      return node !== null && possibleNodeActions(node.state).includes("skip");
    case "cancel_run":
      return run !== null && possibleRunActions(run).includes("cancel");
    case "pause_pipeline":
      return pipeline?.enabled === true && !pipeline.archived;
    case "drain_worker":
      return worker?.draining === false;
    case "hold_worker":
      return worker !== null && worker.breaker !== "held";
  }
}

/** Of the worker only what the alert asks for: a button that is rarely right is no help at night. */
const OF_WORKER: readonly LinkAction[] = ["drain_worker", "hold_worker"];

/** The buttons of an alert as things are now; what is to be done comes first (ALT-1). */
export function offeredLinks(facts: LinkFacts, required: LinkAction | null): LinkAction[] {
  const wanted = LINK_ACTIONS.filter((action) => !OF_WORKER.includes(action) || (required !== null && OF_WORKER.includes(required)));
  const possible = wanted.filter((action) => isPossible(action, facts));
  return [...possible].sort((a, b) => Number(b === required) - Number(a === required));
}

/**
 * The state that a link is bound to: a link acts only while this is what it was. The first word is what people are told; of a
 * run it names the failed node too, since a run that is paused anew is not the one that was looked at.
 */
export function versionOf(action: LinkAction, { alert, node, run, pipeline, worker }: LinkFacts): string {
  const ofNode = node ? `${node.state}/${node.generation}/${node.token}` : "gone";
  switch (action) {
    case "acknowledge":
    case "mute":
      if (alert === null) return "gone";
      return alert.resolved ? "resolved" : action === "acknowledge" && alert.acknowledgedBy !== null ? "acknowledged" : "open";
    case "retry_node":
    case "skip_node":
      return ofNode;
    case "cancel_run":
      return run ? `${run.state}/${ofNode}` : "gone";
    case "pause_pipeline":
      return pipeline === null ? "gone" : pipeline.enabled ? "enabled" : "disabled";
    case "drain_worker":
    case "hold_worker":
      return worker === null ? "gone" : worker.draining ? "draining" : worker.breaker;
  }
}

const wordOf = (version: string): string => version.split("/")[0] ?? version;

/** Why a link does nothing. */
export type LinkRefusal =
  | { readonly reason: "used"; readonly by: string; readonly at: Date }
  | { readonly reason: "expired"; readonly at: Date }
  | { readonly reason: "anothers"; readonly by: string }
  | { readonly reason: "archived" }
  | { readonly reason: "moved"; readonly was: string; readonly now: string };

export interface KeptLink {
  readonly action: LinkAction;
  readonly version: string;
  readonly userId: string | null;
  readonly userLabel: string | null;
  readonly expiresAt: Date;
  readonly usedAt: Date | null;
  readonly usedBy: string | null;
}

/** The first that applies of what keeps a link from acting; null where it may. */
export function refusalOfLink(link: KeptLink, facts: LinkFacts, { userId, now }: { userId: string; now: Date }): LinkRefusal | null {
  if (link.usedAt) return { reason: "used", by: link.usedBy ?? "", at: link.usedAt };
  if (link.userId !== null && link.userId !== userId) return { reason: "anothers", by: link.userLabel ?? "" };
  if (link.expiresAt <= now) return { reason: "expired", at: link.expiresAt };
  // Nothing of a pipeline that was put away starts again.
  if (facts.pipeline?.archived && ["retry_node", "pause_pipeline"].includes(link.action)) return { reason: "archived" };
  const current = versionOf(link.action, facts);
  if (current !== link.version) return { reason: "moved", was: wordOf(link.version), now: wordOf(current) };
  return null;
}
