import type { Executor } from "@/db/client";
import { type OwnAttempt, ownAttempts } from "@/db/statements/nodes/own-attempts";
import type { WorkerLease } from "@/server/domain/run/work";

export type { OwnAttempt };

/** What the database says that this worker runs. */
export const attemptsOf = (ctx: { readonly db: Executor }, worker: Pick<WorkerLease, "id" | "bootId">): Promise<readonly OwnAttempt[]> =>
  ownAttempts(ctx.db, worker);
