import { eq, sql } from "drizzle-orm";
import { z } from "zod";
import type { Executor } from "@/db/client";
import { settings } from "@/db/schema/platform";
import { retentionRules } from "@/db/schema/retention";
import { DomainError } from "@/server/domain/failure";
import { invalidInput, parseInput } from "@/server/domain/input";
import { LONGEST_DAYS, RETENTION, RETENTION_NOUNS, type RetentionNoun } from "@/server/domain/retention/rule";
import { authorisePlatform } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";
import { storedNow } from "@/server/engine/stored-clock";

export interface KeepTime {
  readonly days: number | null;
  /** 0 while it was never set. */
  readonly revision: number;
  readonly updatedBy: string | null;
  readonly updatedAt: Date | null;
}

/** How long each is kept now. */
export async function keepTimes(db: Executor): Promise<Record<RetentionNoun, KeepTime>> {
  const rows = await db.select().from(retentionRules);
  const timeOf = (noun: RetentionNoun): KeepTime => {
    const set = rows.find((row) => row.noun === noun);
    if (!set) return { days: RETENTION[noun].defaultDays, revision: 0, updatedBy: null, updatedAt: null };
    return { days: set.keepDays, revision: set.revision, updatedBy: set.updatedBy, updatedAt: set.updatedAt };
  };
  return Object.fromEntries(RETENTION_NOUNS.map((noun) => [noun, timeOf(noun)])) as Record<RetentionNoun, KeepTime>;
}

/** Days, or null for good. */
export const keepDaysSchema = z.int().min(1).max(LONGEST_DAYS).nullable();

export const setRetentionSchema = z.strictObject({
  noun: z.enum(RETENTION_NOUNS),
  days: keepDaysSchema,
  /** Of the setting that was looked at; 0 where it was never set. */
  revision: z.int().min(0),
  reason: z.string().trim().min(1).max(500),
});

/** Refuses a time that is shorter than what something else promises. */
export function refuseTooShort(noun: RetentionNoun, days: number | null): void {
  const { leastDays } = RETENTION[noun];
  if (days !== null && days < leastDays)
    throw invalidInput([{ path: "days", code: "too_small", message: `${noun} are kept for ${leastDays} days at least` }]);
}

/** Sets how long something is kept; the next pass goes by it. A change that saw an older setting is refused. */
export async function setRetention(ctx: Ctx, given: z.input<typeof setRetentionSchema>): Promise<{ revision: number }> {
  const { noun, days, revision, reason } = parseInput(setRetentionSchema, given);
  authorisePlatform(ctx);
  refuseTooShort(noun, days);
  return inTransaction(ctx, async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`retention/${noun}`}, 0))`);
    const before = (await keepTimes(tx))[noun];
    if (before.revision !== revision)
      throw new DomainError("stale", `how long ${noun} are kept was changed meanwhile. Look at it again.`, { details: { noun } });
    const row = { keepDays: days, revision: revision + 1, updatedBy: actorOf(ctx.principal).label, updatedAt: await storedNow(ctx, tx) };
    await tx
      .insert(retentionRules)
      .values({ noun, ...row })
      .onConflictDoUpdate({ target: retentionRules.noun, set: row });
    await writeAudit(tx, ctx, {
      projectId: null,
      verb: "retention.change",
      object: { kind: "retention", id: noun, label: noun },
      reason,
      before: { days: before.days },
      after: { days },
    });
    return { revision: revision + 1 };
  });
}

const HOLD = "retention.hold";
const holdSchema = z.object({ reason: z.string(), by: z.string(), at: z.iso.datetime() });
export type Hold = z.output<typeof holdSchema>;

/** Why nothing is deleted, while that is so. */
export async function findHold(db: Executor): Promise<Hold | null> {
  const [row] = await db.select().from(settings).where(eq(settings.key, HOLD));
  return row ? holdSchema.parse(row.value) : null;
}

export const holdRetentionSchema = z.strictObject({ hold: z.boolean(), reason: z.string().trim().min(1).max(500) });

/** A legal hold: nothing at all is deleted until it is lifted. */
export async function holdRetention(ctx: Ctx, given: z.input<typeof holdRetentionSchema>): Promise<{ hold: Hold | null }> {
  const { hold, reason } = parseInput(holdRetentionSchema, given);
  authorisePlatform(ctx);
  return inTransaction(ctx, async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${HOLD}, 0))`);
    const before = await findHold(tx);
    if ((before !== null) === hold)
      throw new DomainError("stale", hold ? "deleting is on hold already" : "deleting is not on hold; look again");
    const value = hold ? { reason, by: actorOf(ctx.principal).label, at: (await storedNow(ctx, tx)).toISOString() } : null;
    if (value) await tx.insert(settings).values({ key: HOLD, value });
    else await tx.delete(settings).where(eq(settings.key, HOLD));
    await writeAudit(tx, ctx, {
      projectId: null,
      verb: "retention.hold",
      object: { kind: "retention", id: "hold", label: hold ? "on" : "off" },
      reason,
      before,
      after: value,
    });
    return { hold: value };
  });
}
