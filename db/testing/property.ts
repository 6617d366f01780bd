import type { Parameters as Settings } from "fast-check";

const numberOf = (name: string): number | undefined => {
  const text = process.env[name];
  if (text === undefined || text === "") return undefined;
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${name} is ${JSON.stringify(text)}; give a whole number`);
  return number;
};

/**
 * How a property runs: a failure prints its seed and path, and APOLLO_TEST_SEED plays that seed again. APOLLO_TEST_RUNS
 * sets another number of histories, for a long look by hand. Both are described in CONTRIBUTING.
 */
export function runs<T = unknown>(numRuns: number, more: Settings<T> = {}): Settings<T> {
  const seed = numberOf("APOLLO_TEST_SEED");
  return { ...more, numRuns: numberOf("APOLLO_TEST_RUNS") ?? numRuns, ...(seed === undefined ? {} : { seed }) };
}

/**
 * The same for histories that wait for a database. A failure is made smaller for as long as its test may last, and then
 * printed; a test that its runner ends would print no seed.
 */
export function slowRuns<T = unknown>(numRuns: number): { readonly settings: Settings<T>; readonly timeoutMs: number } {
  const settings = runs<T>(numRuns);
  const limitMs = 60_000 + 3_000 * (settings.numRuns ?? numRuns);
  return { settings: { ...settings, interruptAfterTimeLimit: limitMs, markInterruptAsFailure: true }, timeoutMs: limitMs + 60_000 };
}
