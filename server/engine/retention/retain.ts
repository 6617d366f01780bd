import { desc, eq, lt, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { retentionPasses } from "@/db/schema/retention";
import { deleteBatch } from "@/db/statements/delete-batch";
import {
  expiredBefore,
  expiredMonths,
  type MonthNoun,
  RETENTION,
  RETENTION_NOUNS,
  type RetentionNoun,
  type RowNoun,
} from "@/server/domain/retention/rule";
import { type Ctx, inTransaction } from "@/server/engine/context";
import type { Fence } from "@/server/engine/leadership/fence";
import { requireTerm, requireTermToLook } from "@/server/engine/leadership/require-term";
import { rootMessage } from "@/server/engine/root-cause";
import type { Recover } from "@/server/engine/runs/recover";
import { storedNow } from "@/server/engine/stored-clock";
import { dropPartition, isBusy } from "./drop-month";
import { heldBy, ofMonth, partitionsOf } from "./months";
import { findHold, keepTimes } from "./retention-settings";
import { ROW_RULES } from "./row-rules";

/** Of one statement: its locks are gone before anybody waits for them. */
const BATCH = 1_000;
/** How long what a pass did can be read. */
const PASSES_KEPT_MS = 400 * 86_400_000;

export interface Removed {
  readonly rows: number;
  readonly partitions: string[];
  /** Why an expired month stays. */
  readonly held?: string;
}

/**
 * One step of a pass: of each noun a batch of rows, or one month, that is past its time. Nothing goes that a live run, an open
 * incident or the idempotency register needs, and nothing at all while deleting is on hold.
 */
export const retain: Recover = async (ctx, fence, options = {}) => {
  if (await findHold(ctx.db)) {
    await requireTermToLook(ctx.db, fence);
    return { count: 0, more: false };
  }
  const [times, now] = [await keepTimes(ctx.db), await storedNow(ctx, ctx.db)];
  const done: Record<string, Removed> = {};
  let [count, more] = [0, false];
  let failure: Error | null = null;
  for (const noun of RETENTION_NOUNS) {
    try {
      const removed = isOfRows(noun)
        ? await removeRows(ctx, fence, { noun, days: times[noun].days, now, limit: options.limit ?? BATCH })
        : await removeMonth(ctx, fence, { noun, days: times[noun].days, now });
      if (removed.rows > 0 || removed.partitions.length > 0 || removed.held !== undefined) done[noun] = removed;
      count += removed.rows + removed.partitions.length;
      more = more || removed.rows === (options.limit ?? BATCH) || removed.partitions.length > 0;
    } catch (error) {
      if (!isBusy(error)) failure ??= error instanceof Error ? error : new Error(rootMessage(error));
      ctx.log.warn({ err: error, noun }, "what is past its time stays until the next pass");
      done[noun] = { rows: 0, partitions: [], held: isBusy(error) ? "busy" : "failed" };
    }
  }
  await inTransaction(ctx, async (tx) => {
    await requireTerm(tx, fence);
    await note(ctx, tx, { done, now, more, error: failure === null ? null : rootMessage(failure) });
  });
  if (failure !== null && count === 0) throw failure;
  return { count, more };
};

const isOfRows = (noun: RetentionNoun): noun is RowNoun => RETENTION[noun].kind === "rows";

interface Due<Noun> {
  readonly noun: Noun;
  readonly days: number | null;
  readonly now: Date;
}

async function removeRows(ctx: Ctx, fence: Fence, { noun, days, now, limit }: Due<RowNoun> & { limit: number }): Promise<Removed> {
  const before = expiredBefore(days, now);
  if (before === null) return { rows: 0, partitions: [] };
  const expired = ROW_RULES[noun](sql`${before.toISOString()}::timestamptz`);
  const rows = await inTransaction(ctx, async (tx) => {
    await requireTerm(tx, fence);
    return deleteBatch(tx, RETENTION[noun].tables[0], expired, limit);
  });
  return { rows, partitions: [] };
}

/** The oldest expired month that nothing holds. */
async function removeMonth(ctx: Ctx, fence: Fence, { noun, days, now }: Due<MonthNoun>): Promise<Removed> {
  const partitions = await partitionsOf(ctx.db, RETENTION[noun].tables);
  const months = expiredMonths(
    partitions.map(({ name }) => name),
    days,
    now,
  );
  let held: string | undefined;
  for (const month of months) {
    // What has begun is finished: a month of which a part is gone is of use to nobody.
    const own = ofMonth(partitions, month);
    const first = own.find(({ table }) => table === RETENTION[noun].tables[0]);
    const hasBegun = first?.state !== "attached";
    const why = hasBegun ? null : await heldBy(ctx.db, noun, month);
    if (why !== null) {
      held ??= `${month.name}: ${why}`;
      continue;
    }
    // First the runs: once they are out nobody finds them, and so nobody begins one again.
    const dropped: string[] = [];
    for (const partition of own) {
      if (!(await dropPartition(ctx, fence, partition))) break;
      dropped.push(partition.name);
    }
    if (dropped.length === 0) continue;
    ctx.log.info({ noun, month: month.name, partitions: dropped.length }, "a month that is past its time was dropped");
    return { rows: 0, partitions: dropped };
  }
  return { rows: 0, partitions: [], ...(held === undefined ? {} : { held }) };
}

/** Writes down what the pass has done so far; one that finds nothing takes the place of the last that found nothing. */
async function note(
  ctx: Ctx,
  tx: Tx,
  { done, now, more, error }: { done: Record<string, Removed>; now: Date; more: boolean; error: string | null },
): Promise<void> {
  const [last] = await tx.select().from(retentionPasses).orderBy(desc(retentionPasses.id)).limit(1);
  const endedAt = more ? null : now;
  const didNothing = last && Object.values(last.done).every(({ rows, partitions }) => rows === 0 && partitions.length === 0);
  if (last && (last.endedAt === null || didNothing)) {
    const startedAt = last.endedAt === null ? last.startedAt : now;
    await tx
      .update(retentionPasses)
      .set({ done: summed(last.endedAt === null ? last.done : {}, done), startedAt, endedAt, error })
      .where(eq(retentionPasses.id, last.id));
  } else await tx.insert(retentionPasses).values({ id: ctx.ids.uuid(now), startedAt: now, endedAt, done, error });
  const before = new Date(now.getTime() - PASSES_KEPT_MS);
  if (!more) await tx.delete(retentionPasses).where(lt(retentionPasses.startedAt, before));
}

function summed(before: Readonly<Record<string, Removed>>, step: Readonly<Record<string, Removed>>): Record<string, Removed> {
  const sum: Record<string, Removed> = { ...before };
  for (const [noun, { rows, partitions, held }] of Object.entries(step)) {
    const had = sum[noun] ?? { rows: 0, partitions: [] };
    sum[noun] = { rows: had.rows + rows, partitions: [...had.partitions, ...partitions], ...(held === undefined ? {} : { held }) };
  }
  return sum;
}
