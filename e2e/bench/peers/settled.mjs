import { setTimeout as pause } from "node:timers/promises";

const LIMIT_MS = 60_000;

/** Asks every few milliseconds until nothing is left. */
export async function untilZero(client, query, everyMs = 3) {
  const endMs = performance.now() + LIMIT_MS;
  for (;;) {
    const { rows } = await client.query(query);
    if (rows[0].left === 0) return;
    if (performance.now() > endMs) throw new Error(`${rows[0].left} are left after ${LIMIT_MS} ms`);
    await pause(everyMs);
  }
}
