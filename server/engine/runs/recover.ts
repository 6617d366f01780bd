import type { Ctx } from "@/server/engine/context";

/** The leader's term; the database refuses what a past leader writes. */
export interface Fence {
  readonly name: string;
  readonly epoch: number;
}

export interface RecoverOptions {
  /** Rows of one call; a full batch says that there is more. */
  readonly limit?: number;
}

export interface Recovered {
  readonly count: number;
  /** The batch was full: call again. */
  readonly more: boolean;
}

export type Recover = (ctx: Ctx, fence: Fence, options?: RecoverOptions) => Promise<Recovered>;
