import { setTimeout as pause } from "node:timers/promises";

/** Looks every `everyMs` until `find` gives something or the time is over. */
export async function lookUntil<T>(
  find: () => T | undefined | Promise<T | undefined>,
  forMs: number,
  everyMs = 25,
): Promise<T | undefined> {
  const endMs = performance.now() + forMs;
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    if (performance.now() >= endMs) return undefined;
    await pause(everyMs);
  }
}
