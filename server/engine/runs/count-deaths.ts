import { countDeaths as count } from "@/db/statements/state/recover";
import type { Ctx } from "@/server/engine/context";

/** How many attempts of a node's generation have taken along what ran them, or lost their worker. */
export const countDeaths = (
  ctx: Pick<Ctx, "db">,
  node: { readonly runId: string; readonly key: string; readonly generation: number },
): Promise<number> => count(ctx.db, node);
