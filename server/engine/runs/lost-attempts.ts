import type { Ctx } from "@/server/engine/context";

export interface HeldAttempt {
  readonly runId: string;
  readonly key: string;
  readonly token: number;
}

/** Which of the attempts that a worker holds are its no longer: it kills those. */
export function revokedAttempts(_ctx: Ctx, _worker: { readonly id: string }, _held: readonly HeldAttempt[]): Promise<HeldAttempt[]> {
  throw new Error("not built yet");
}
