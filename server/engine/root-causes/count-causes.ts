import { and, eq, isNull, lt, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { rootCauseCards } from "@/db/schema/root-causes";
import { type CodeOf, codesFailed, findBursts, type TallyRow, tallyFailures } from "@/db/statements/counting/code-bursts";
import { countingLagMs, moveCursor, readCursor } from "@/db/statements/counting/cursor";
import { addMinutes, BURST_EVENTS, BURST_WINDOW_MS, type Burst, isOver, type MinuteCount } from "@/server/domain/root-cause/burst";
import { addCounts, type Counted, type Counts, type Dimension, MOST_VALUES, NO_COUNTS } from "@/server/domain/root-cause/counts";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { requireTerm, requireTermToLook } from "@/server/engine/leadership/require-term";
import type { Recover } from "@/server/engine/runs/recover";
import { storedNow } from "@/server/engine/stored-clock";

const CURSOR = "root-causes";
/** What one look reads at most; after an outage the next looks follow at once. */
const SLICE_MS = 15_000;
/** While nothing fails, how far it has counted is kept this often. */
const KEEP_EVERY_MS = 30_000;
/** Cards that are open at a time; a storm of new codes opens no more. */
const MOST_OPEN = 100;
const KEEP_CARDS = sql`interval '400 days'`;

type CardRow = typeof rootCauseCards.$inferSelect;

/**
 * Counts what failed since the last look into the cards of its codes, opens a card for each code that came more than 50 times
 * in a minute, and ends those that have gone quiet (EXC-7). Cursor and cards move in one fenced commit: each failure counts once.
 */
export const countCauses: Recover = async (ctx, fence) => {
  const now = await storedNow(ctx, ctx.db);
  const horizon = new Date(now.getTime() - (await countingLagMs(ctx.db)));
  const from = await readCursor(ctx.db, CURSOR);
  const since = from ?? new Date(horizon.getTime() - BURST_WINDOW_MS);
  const to = new Date(Math.min(horizon.getTime(), since.getTime() + SLICE_MS));
  if (to <= since) {
    await requireTermToLook(ctx.db, fence);
    return { count: 0, more: false };
  }
  const failed = await codesFailed(ctx.db, { from: since, to });
  const open = await ctx.db.select().from(rootCauseCards).where(isNull(rootCauseCards.endedAt)).orderBy(rootCauseCards.id).limit(MOST_OPEN);
  const more = to < horizon;
  if (failed.length === 0 && open.length === 0 && from !== null && !more && to.getTime() - since.getTime() < KEEP_EVERY_MS / 2) {
    await requireTermToLook(ctx.db, fence);
    return { count: 0, more: false };
  }
  const changed = await inTransaction(ctx, async (tx) => {
    await requireTerm(tx, fence);
    if (!(await moveCursor(tx, CURSOR, from, to))) return null;
    return countSlice(ctx, tx, { since, to, failed, open });
  });
  for (const projectId of changed ?? []) ctx.ports.live.changed(projectId);
  const count = failed.reduce((sum, { events }) => sum + events, 0);
  return { count: Math.max(count, more ? 1 : 0), more: more && changed !== null };
};

interface Slice {
  readonly since: Date;
  readonly to: Date;
  readonly failed: readonly CodeOf[];
  readonly open: readonly CardRow[];
}

const keyOf = ({ projectId, code }: { readonly projectId: string; readonly code: string }) => `${projectId}/${code}`;

/** Answers with the projects whose cards have changed. */
async function countSlice(ctx: Ctx, tx: Tx, { since, to, failed, open }: Slice): Promise<ReadonlySet<string>> {
  const [known, failing] = [new Set(open.map(keyOf)), new Set(failed.map(keyOf))];
  const unknown = failed.filter((code) => !known.has(keyOf(code)));
  const fresh = await openCards(ctx, tx, unknown, { since, to });
  const taken = fresh.slice(0, MOST_OPEN - open.length);
  // A card that has begun in this slice counts from its own first failure; the others go on where they stopped.
  const asked = [...open.filter((card) => failing.has(keyOf(card))), ...taken].map(({ id, projectId, code, countedUntil }) => ({
    ...{ card: id, projectId, code, to },
    from: known.has(keyOf({ projectId, code })) ? since : countedUntil,
  }));
  const tallies = await tallyFailures(tx, asked, MOST_VALUES);
  for (const card of [...open, ...taken]) {
    const burst = grown(
      card,
      tallies.filter((tally) => tally.card === card.id),
    );
    await writeCard(tx, card, { burst, to, isFresh: !known.has(keyOf(card)) });
  }
  await tx.delete(rootCauseCards).where(lt(rootCauseCards.endedAt, sql`${to.toISOString()}::timestamptz - ${KEEP_CARDS}`));
  return new Set([...open, ...taken].map(({ projectId }) => projectId));
}

async function openCards(ctx: Ctx, tx: Tx, codes: readonly CodeOf[], { since, to }: Pick<Slice, "since" | "to">): Promise<CardRow[]> {
  const from = new Date(since.getTime() - BURST_WINDOW_MS);
  const bursts = await findBursts(tx, codes, { from, to, events: BURST_EVENTS, windowMs: BURST_WINDOW_MS });
  return bursts.map(({ projectId, code, firstAt }) => ({
    ...{ id: ctx.ids.uuid(firstAt), projectId, code, openedAt: firstAt, endedAt: null },
    // Just before its first failure, which counts too.
    countedUntil: new Date(firstAt.getTime() - 1),
    ...{ burstAt: to, total: 0, peak: 0, minutes: [], counts: NO_COUNTS },
  }));
}

function grown(card: CardRow, tallies: readonly TallyRow[]): Burst {
  const counted: Counted[] = [];
  const minutes: MinuteCount[] = [];
  for (const { dimension, value, count } of tallies) {
    if (dimension !== "minute") counted.push({ dimension: dimension as Dimension, value, count });
    else if (value !== null) minutes.push({ minute: value, events: count });
  }
  const { total, peak, burstAt } = card;
  const before: Burst = { total, peak, burstAt, minutes: card.minutes, counts: card.counts as Counts };
  return { ...addMinutes(before, minutes), counts: addCounts(before.counts, counted) };
}

async function writeCard(tx: Tx, card: CardRow, { burst, to, isFresh }: { burst: Burst; to: Date; isFresh: boolean }): Promise<void> {
  const { total, peak, burstAt, minutes, counts } = burst;
  const row = { total, peak, burstAt, minutes: [...minutes], counts, countedUntil: to, endedAt: isOver(burst, to) ? to : null };
  if (isFresh) await tx.insert(rootCauseCards).values({ ...card, ...row });
  else
    await tx
      .update(rootCauseCards)
      .set(row)
      .where(and(eq(rootCauseCards.id, card.id), isNull(rootCauseCards.endedAt)));
}
