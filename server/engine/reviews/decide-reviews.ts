import { z } from "zod";
import { DomainError, type FailureCode } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { nodeKeySchema } from "@/server/domain/pipeline/definition";
import type { RunEvent } from "@/server/domain/run/model";
import { NODE_ACTIONS, type NodeAction } from "@/server/domain/run/possible";
import { rerunPlan } from "@/server/domain/run/rerun-plan";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { monthOf } from "@/server/engine/runs/create-run";
import { intervene, reasonSchema, type Wish } from "@/server/engine/runs/intervention";
import type { OpenRun } from "@/server/engine/runs/open-run";

export const MAX_DECIDED = 100;

export const decideReviewsSchema = z.strictObject({
  projectId: z.uuid(),
  action: z.enum(NODE_ACTIONS),
  reason: reasonSchema,
  /** Each as it was looked at: one that has moved on since is left alone, and told. */
  items: z
    .array(z.strictObject({ runId: z.uuid(), key: nodeKeySchema, generation: z.int().min(1) }))
    .min(1)
    .max(MAX_DECIDED),
});
export type DecideReviewsInput = z.input<typeof decideReviewsSchema>;
type Item = z.output<typeof decideReviewsSchema>["items"][number];

export interface ReviewDecision {
  readonly runId: string;
  readonly key: string;
  /** `undecided`: it was not come to, or nobody knows; asked for once more, what is done already is refused as stale. */
  readonly result: "done" | "refused" | "undecided";
  /** Null where it is done. */
  readonly refused: { readonly code: FailureCode; readonly message: string } | null;
}

/**
 * Decides on nodes of the review queue, each by itself: in a transaction of its own with its audit row, so that one that cannot be
 * done keeps back none of the others (RUN-3). Where the database is lost on the way, it says what was done and what was not:
 * the same items, given again, go on from there, since each names the stay in review that was looked at.
 */
export async function decideReviews(ctx: Ctx, given: DecideReviewsInput): Promise<readonly ReviewDecision[]> {
  const { projectId, action, reason, items } = parseInput(decideReviewsSchema, given);
  authorise(ctx, projectId, "run.intervene");
  const decisions: ReviewDecision[] = [];
  let lost: Error | null = null;
  for (const item of items) {
    if (lost !== null) decisions.push(undecided(item));
    else {
      try {
        decisions.push(await decideOne(ctx, projectId, item, action, reason));
      } catch (error) {
        lost = error instanceof Error ? error : new Error(String(error));
        decisions.push(undecided(item));
      }
    }
  }
  if (lost !== null) {
    if (decisions.every(({ result }) => result === "undecided")) throw lost;
    ctx.log.warn({ projectId, action, error: String(lost) }, "a bulk decision stopped on the way");
  }
  return decisions;
}

const undecided = ({ runId, key }: Item): ReviewDecision => ({
  ...{ runId, key, result: "undecided" },
  refused: { code: "unavailable", message: `"${key}" was not decided on: the connection to the database was lost. Decide again.` },
});

async function decideOne(ctx: Ctx, projectId: string, item: Item, action: NodeAction, reason: string): Promise<ReviewDecision> {
  const { runId, key } = item;
  try {
    await intervene(ctx, {
      ...WISHES[action],
      input: { runId, key, reason },
      details: { review: true },
      eventOf: (open, now) => {
        refuseMoved(open, projectId, item);
        return eventOf(ctx, open, now, key, action);
      },
      ...(action === "mark-success" ? { output: null } : {}),
    });
    return { runId, key, result: "done", refused: null };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { runId, key, result: "refused", refused: { code: error.code, message: error.message } };
  }
}

const WISHES: Readonly<Record<NodeAction, Pick<Wish, "verb" | "restarts" | "revives">>> = {
  retry: { verb: "run.retryNode", restarts: true, revives: true },
  "rerun-from": { verb: "run.rerunFrom", restarts: true, revives: true },
  skip: { verb: "run.skipNode", revives: true },
  "mark-success": { verb: "run.markSuccess", revives: true },
  cancel: { verb: "run.cancelNode" },
};

function eventOf(ctx: Ctx, { row, version, facts }: OpenRun, now: Date, key: string, action: NodeAction): RunEvent {
  switch (action) {
    case "retry":
      return { kind: "retryNode", key };
    case "rerun-from": {
      const planned = rerunPlan(version.plan, facts.nodes, key);
      const fresh = planned.kind === "plan" ? planned.newExecutions : [];
      return { kind: "rerunFrom", key, executionIds: new Map(fresh.map((each) => [each, ctx.ids.uuid(monthOf(row.id, now))])) };
    }
    case "skip":
      return { kind: "skipNode", key };
    case "mark-success":
      return { kind: "markSuccess", key };
    case "cancel":
      return { kind: "cancelNode", key };
  }
}

function refuseMoved({ row, facts }: OpenRun, projectId: string, { runId, key, generation }: Item): void {
  if (row.projectId !== projectId) throw new DomainError("not_found", `there is no run ${runId} in this project`, { details: { runId } });
  const node = facts.nodes.get(key);
  if (node?.state === "MANUAL_REVIEW" && node.generation === generation) return;
  const state = node ? `it is ${node.state} now` : "there is no such node";
  throw new DomainError("stale", `"${key}" waits for nobody any more: ${state}. Look at its run.`, { details: { runId, key } });
}
