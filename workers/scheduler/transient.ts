/** The database is away, busy or restarting: the work waits, and nobody is to blame. */
const TRANSIENT = new Set([
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
  // too many connections; read only; cut off while idle; shut down, crashed, starting up; locked; lost races
  "53300",
  "25006",
  "25P03",
  "57P01",
  "57P02",
  "57P03",
  "55P03",
  "40001",
  "40P01",
]);

export function isTransient(error: unknown): boolean {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    const code = "code" in each && typeof each.code === "string" ? each.code : "";
    if (TRANSIENT.has(code) || /^08/.test(code)) return true;
  }
  return false;
}
