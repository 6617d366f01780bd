/** The database is away, full, or restarting. */
const OUTAGES = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_DESTROYED",
  "CONNECTION_ENDED",
  "CONNECT_TIMEOUT",
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  // too many connections; read only; cut off while idle; shut down, crashed, starting up
  "53300",
  "25006",
  "25P03",
  "57P01",
  "57P02",
  "57P03",
]);
/** Somebody else was there first: locked; lost races. */
const CONTENTION = new Set(["55P03", "40001", "40P01"]);

/** The line to the database is gone: nothing that was asked on it is to blame. */
export const isOutage = (error: unknown): boolean => hasCode(error, (code) => OUTAGES.has(code) || /^08/.test(code));

/** The work waits, and nobody is to blame. */
export const isTransient = (error: unknown): boolean => isOutage(error) || hasCode(error, (code) => CONTENTION.has(code));

/** The database took longer than a statement may: busy once, and ill where it is so each time. */
export const isTooSlow = (error: unknown): boolean => hasCode(error, (code) => code === "57014");

function hasCode(error: unknown, isMeant: (code: string) => boolean): boolean {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    if ("code" in each && typeof each.code === "string" && isMeant(each.code)) return true;
  }
  return false;
}
