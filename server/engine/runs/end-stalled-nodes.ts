import { readQuietNodes } from "@/db/statements/nodes/quiet-nodes";
import { platformFailure } from "@/server/domain/run/platform-failure";
import { isStalled, quietSince, stallOf } from "@/server/domain/run/stall";
import { storedNow } from "@/server/engine/stored-clock";
import { type Recover, sweep } from "./recover";

/**
 * Ends attempts that give no sign of progress, where their node asks for it: judged by its policy, or sent to a person; a routing
 * rule for the code stands above both (EXC-8). Of all others an alert tells.
 */
export const endStalledNodes: Recover = (ctx, fence, options = {}) =>
  sweep(
    ctx,
    fence,
    options,
    async (db, limit) => {
      const quiet = await readQuietNodes(db, limit);
      if (quiet.length === 0) return [];
      const now = await storedNow(ctx, db);
      return quiet.filter((node) => {
        const stall = stallOf(node.stall);
        return stall.action !== "alert" && isStalled(node, stall, now);
      });
    },
    (node) => {
      const { action } = stallOf(node.stall);
      return {
        kind: "attemptTimedOut",
        ...{ key: node.key, token: node.token, jitter: ctx.random() },
        failure: platformFailure("stalled", `the attempt has shown no progress since ${quietSince(node).toISOString()}`),
        route: action === "review" ? { rule: "stall of the node", version: node.versionNo, action: "review", delays: null } : null,
      };
    },
  );
