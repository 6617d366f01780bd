import type { Db, Tx } from "@/db/client";
import type { Principal } from "@/server/domain/access/roles";
import type { Actor } from "@/server/domain/run/model";
import type { Ports } from "./ports";

export interface Clock {
  now(): Date;
  /** Milliseconds that never step back; for local time limits alone. */
  monotonicMs(): number;
  /** Where time is set by hand, the database's too; else the database is asked (see `storedNow`). */
  readonly database?: () => Date;
}

export interface Ids {
  /** A UUIDv7 of now, or of the given instant (a partition follows it). */
  uuid(at?: Date): string;
  /** `bytes` random bytes as lower-case hex: trace and span ids, tokens. */
  randomHex(bytes: number): string;
}

export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Where a request came from; stands in the audit row. */
export interface RequestSource {
  readonly id: string;
  readonly via: "console" | "api" | "cli" | "import" | "system";
  readonly ip: string | null;
  readonly userAgent: string | null;
}

/** What every verb takes first: the world, and who asks. */
export interface Ctx {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: () => number;
  readonly log: Log;
  readonly ports: Ports;
  readonly principal: Principal;
  readonly source: RequestSource;
  /** What must commit with the deed or keep it from being done; it comes first in each transaction, and again where that is repeated. */
  readonly first?: (tx: Tx) => Promise<void>;
}

/** Postgres codes of a lost race that a repeat settles: serialization failure and deadlock. */
const REPEATABLE = new Set(["40001", "40P01"]);
const MAX_TRIES = 5;

const codeOf = (error: unknown): string | undefined => {
  for (let e: unknown = error; e instanceof Error; e = e.cause) {
    if ("code" in e && typeof e.code === "string") return e.code;
  }
  return undefined;
};

/** Whether an error is one that a later try may settle by itself. */
export const isLostRace = (error: unknown): boolean => REPEATABLE.has(codeOf(error) ?? "");

/** Runs `work` in one transaction and repeats it when it lost a race; `work` must read everything that it decides on. */
export async function inTransaction<T>(ctx: Pick<Ctx, "db" | "log" | "first">, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await ctx.db.transaction(async (tx) => {
        await ctx.first?.(tx);
        return work(tx);
      });
    } catch (error) {
      if (tries >= MAX_TRIES || !isLostRace(error)) throw error;
      ctx.log.debug({ tries, code: codeOf(error) }, "transaction repeated");
    }
  }
}

/** The principal as it stands in events and audit rows. */
export function actorOf(principal: Principal): Actor {
  switch (principal.kind) {
    case "user":
    case "token":
    case "system":
      return { kind: principal.kind, id: principal.id, label: principal.label };
    case "anonymous":
      return { kind: "system", id: "anonymous", label: "anonymous" };
  }
}
