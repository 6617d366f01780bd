import type { Ctx } from "@/server/engine/context";
import { rootMessage } from "@/server/engine/root-cause";
import type { HeldAttempt } from "@/server/engine/runs/lost-attempts";
import { keepUndecided } from "./keep-undecided";

/** Keeps a letter of an attempt that has ended at this worker, and whose end the store refuses however little it tells. */
export async function keepRefused(
  ctx: Pick<Ctx, "db">,
  worker: { readonly id: string },
  attempt: HeldAttempt,
  error: unknown,
): Promise<void> {
  const why = `its attempt has ended on worker ${worker.id}, and what it reports is refused`;
  await keepUndecided(ctx.db, attempt, why, rootMessage(error));
}
