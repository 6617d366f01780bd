interface Lasting {
  readonly openedAt: Date;
  /** Null while it goes on. */
  readonly endedAt: Date | null;
}

/** Whether a burst and a stretch of time have an instant in common; what has no end goes on. */
export const isDuring = ({ openedAt, endedAt }: Lasting, from: Date, until: Date | null): boolean =>
  (until === null || openedAt <= until) && (endedAt === null || endedAt >= from);

const MINUTE_MS = 60_000;

/** Each minute from the first to the last, at most `most` of the newest: those without a failure stand between the others with 0. */
export function everyMinute(
  minutes: readonly { readonly minute: string; readonly events: number }[],
  most: number,
): readonly { readonly at: number; readonly events: number }[] {
  const counts = new Map(minutes.map(({ minute, events }) => [Date.parse(minute), events]));
  const last = Math.max(...counts.keys());
  const first = Math.max(Math.min(...counts.keys()), last - (most - 1) * MINUTE_MS);
  if (counts.size === 0) return [];
  return Array.from({ length: Math.round((last - first) / MINUTE_MS) + 1 }, (_, n) => {
    const at = first + n * MINUTE_MS;
    return { at, events: counts.get(at) ?? 0 };
  });
}
