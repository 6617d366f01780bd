import { seconds } from "./steps.mjs";

/** Short lines with times while something starts; a step that finds nothing to do says nothing. */
export async function step(words, work) {
  const startedMs = performance.now();
  const result = await work();
  console.log(`  ${words.padEnd(28)} ${seconds(startedMs).padStart(7)}`);
  return result;
}
