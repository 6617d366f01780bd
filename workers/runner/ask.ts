import type { Ctx } from "@/server/engine/context";
import { NoAnswer, within } from "./within";

/** Puts a question to the database, for a bounded time. */
export type Ask = <T>(what: string, question: (ctx: Ctx) => Promise<T>) => Promise<T>;

export interface AskOptions {
  /** Its `db` is the line as it is now. */
  readonly ctx: Ctx;
  readonly limitMs: number;
  /** The line did not answer: the next question must not go by it. */
  giveUp(dead: Ctx["db"]): void;
}

/** A question that is not answered in time takes its line with it, since the next one would hang on it too. */
export function asker({ ctx, limitMs, giveUp }: AskOptions): Ask {
  return async (what, question) => {
    const { db } = ctx;
    try {
      return await within(limitMs, what, question(ctx));
    } catch (error) {
      if (error instanceof NoAnswer) {
        ctx.log.warn({ what, limitMs }, "the database did not answer; its connections are opened anew");
        giveUp(db);
      }
      throw error;
    }
  };
}
