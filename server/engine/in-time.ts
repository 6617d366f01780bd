import { longTimeout } from "./long-timeout";

/** What is given in place of an answer that did not come in time. */
export const LATE = Symbol("late");

/** An answer, or `LATE` after the limit; what comes later is nobody's concern any more. */
export async function inTime<T>(work: Promise<T>, limitMs: number): Promise<T | typeof LATE> {
  let timer: { clear(): void } | undefined;
  const late = new Promise<typeof LATE>((resolve) => {
    timer = longTimeout(limitMs, () => resolve(LATE));
  });
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    timer?.clear();
  }
}
