import { durationMs } from "../duration";
import { type StallAction, stallSchema } from "../pipeline/definition";

/** What is done with a node that gives no sign for so long (EXC-8). */
export interface Stall {
  readonly afterMs: number;
  readonly action: StallAction;
}

/** What a node says, else 5 minutes and an alert. */
export function stallOf(stored: unknown): Stall {
  const { after, action } = stallSchema.safeParse(stored ?? {}).data ?? stallSchema.parse({});
  return { afterMs: durationMs(after), action };
}

/** A running attempt, and the last line that it has written. */
export interface Signs {
  readonly startedAt: Date;
  readonly lastLineAt: Date | null;
}

/** A line of an earlier attempt is no sign of this one. */
export const quietSince = ({ startedAt, lastLineAt }: Signs): Date =>
  lastLineAt !== null && lastLineAt > startedAt ? lastLineAt : startedAt;

export const isStalled = (signs: Signs, { afterMs }: Stall, now: Date): boolean => now.getTime() - quietSince(signs).getTime() >= afterMs;
