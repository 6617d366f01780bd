export interface StateFault {
  readonly status: string;
  readonly number: number;
}

const fault = (status: string, number: number): StateFault => ({ status, number });

/** By the whole state first, then by its class; the classes are those of PostgreSQL's Appendix A. */
const FAULTS: Readonly<Record<string, StateFault>> = {
  "40P01": fault("DEADLOCK", 409),
  "40001": fault("SERIALIZATION", 409),
  "55P03": fault("LOCK", 423),
  "57014": fault("TIMEOUT", 504),
  "25P03": fault("TIMEOUT", 504),
  "57P01": fault("CONNECT", 503),
  "57P02": fault("CONNECT", 503),
  "57P03": fault("CONNECT", 503),
  "23505": fault("DUPLICATE", 409),
  "08": fault("CONNECT", 503),
  "53": fault("CAPACITY", 503),
  "22": fault("INVALID", 422),
  "23": fault("INVALID", 422),
  "42": fault("STATEMENT", 500),
};

const MAX_CAUSES = 5;

/**
 * What a database's own error says by its SQLSTATE, also where another error was made of it; null where there is none, or none
 * that tells more than that it failed. Drivers give the state as `code`: postgres.js names its error, pg adds a severity.
 */
export function readSqlState(error: unknown): StateFault | null {
  let at = error;
  for (let depth = 0; depth < MAX_CAUSES && at instanceof Error; depth++, at = at.cause) {
    const { code, severity } = at as { code?: unknown; severity?: unknown };
    if (typeof code !== "string" || !/^[0-9A-Z]{5}$/.test(code)) continue;
    // Node's own codes, such as EPIPE, look alike.
    if (at.name === "PostgresError" || typeof severity === "string") return FAULTS[code] ?? FAULTS[code.slice(0, 2)] ?? null;
  }
  return null;
}
