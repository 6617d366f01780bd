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
