import { desc, sql } from "drizzle-orm";
import { z } from "zod";
import type { Executor } from "@/db/client";
import { retentionPasses } from "@/db/schema/retention";
import { parseInput } from "@/server/domain/input";
import {
  expiredBefore,
  expiredMonths,
  KEPT_FOR_GOOD,
  type MonthNoun,
  RETENTION,
  RETENTION_NOUNS,
  type RetentionNoun,
  type RowNoun,
} from "@/server/domain/retention/rule";
import { authorisePlatform } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { storedNow } from "@/server/engine/stored-clock";
import { heldBy, ofMonth, partitionsOf } from "./months";
import type { Removed } from "./retain";
import { findHold, type Hold, type KeepTime, keepDaysSchema, keepTimes, refuseTooShort } from "./retention-settings";
import { ROW_RULES } from "./row-rules";

/** So many are counted; the screen says "more than". */
const MOST_COUNTED = 10_000;
const PASSES = 10;

/** What a pass would remove now. */
export interface Expired {
  readonly rows: number;
  /** There are more rows than were counted. */
  readonly isMore: boolean;
  readonly months: readonly { readonly month: string; readonly bytes: number; readonly heldBy: string | null }[];
}

export interface Size {
  /** As the database last estimated. */
  readonly rows: number;
  readonly bytes: number;
}

export interface RetentionView extends KeepTime, Size {
  readonly noun: RetentionNoun;
  readonly defaultDays: number | null;
  readonly leastDays: number;
  readonly next: Expired;
}

export interface Retention {
  readonly rules: readonly RetentionView[];
  readonly kept: readonly (Size & { readonly noun: keyof typeof KEPT_FOR_GOOD })[];
  readonly hold: Hold | null;
  readonly passes: readonly {
    readonly id: string;
    readonly startedAt: Date;
    readonly endedAt: Date | null;
    readonly done: Readonly<Record<string, Removed>>;
    readonly error: string | null;
  }[];
}

/** How long what is kept, how much there is of it, what the next pass will remove, and what the last ones have. */
export async function loadRetention(ctx: Ctx): Promise<Retention> {
  authorisePlatform(ctx);
  const [times, now] = [await keepTimes(ctx.db), await storedNow(ctx, ctx.db)];
  const rules: RetentionView[] = [];
  for (const noun of RETENTION_NOUNS) {
    const { tables, defaultDays, leastDays } = RETENTION[noun];
    const next = await expired(ctx.db, noun, times[noun].days, now);
    rules.push({ noun, defaultDays, leastDays, next, ...times[noun], ...(await sizeOf(ctx.db, tables)) });
  }
  const kept: Retention["kept"][number][] = [];
  for (const [noun, tables] of Object.entries(KEPT_FOR_GOOD)) {
    kept.push({ noun: noun as keyof typeof KEPT_FOR_GOOD, ...(await sizeOf(ctx.db, tables)) });
  }
  const passes = await ctx.db.select().from(retentionPasses).orderBy(desc(retentionPasses.id)).limit(PASSES);
  return { rules, kept, passes, hold: await findHold(ctx.db) };
}

export const previewRetentionSchema = z.strictObject({ noun: z.enum(RETENTION_NOUNS), days: keepDaysSchema });

/** What a pass would remove if something were kept for so long: nothing is changed by it. */
export async function previewRetention(ctx: Ctx, given: z.input<typeof previewRetentionSchema>): Promise<Expired> {
  const { noun, days } = parseInput(previewRetentionSchema, given);
  authorisePlatform(ctx);
  refuseTooShort(noun, days);
  return expired(ctx.db, noun, days, await storedNow(ctx, ctx.db));
}

async function expired(db: Executor, noun: RetentionNoun, days: number | null, now: Date): Promise<Expired> {
  if (RETENTION[noun].kind === "rows") return expiredRows(db, noun as RowNoun, expiredBefore(days, now));
  const partitions = await partitionsOf(db, RETENTION[noun].tables);
  const names = partitions.map(({ name }) => name);
  const months: Expired["months"][number][] = [];
  for (const month of expiredMonths(names, days, now)) {
    const bytes = ofMonth(partitions, month).reduce((sum, each) => sum + each.bytes, 0);
    months.push({ month: month.name.replace("_", "-"), bytes, heldBy: await heldBy(db, noun as MonthNoun, month) });
  }
  return { rows: 0, isMore: false, months };
}

async function expiredRows(db: Executor, noun: RowNoun, before: Date | null): Promise<Expired> {
  if (before === null) return { rows: 0, isMore: false, months: [] };
  const name = sql.identifier(RETENTION[noun].tables[0]);
  const [row] = await db.execute<{ n: string }>(sql`
    select count(*) as n from (
      select from ${name} t where ${ROW_RULES[noun](sql`${before.toISOString()}::timestamptz`)} limit ${MOST_COUNTED + 1}
    ) x
  `);
  const rows = Number(row?.n ?? 0);
  return { rows: Math.min(rows, MOST_COUNTED), isMore: rows > MOST_COUNTED, months: [] };
}

async function sizeOf(db: Executor, tables: readonly string[]): Promise<Size> {
  let [rows, bytes] = [0, 0];
  for (const table of tables) {
    const [row] = await db.execute<{ rows: string | null; bytes: string | null }>(sql`
      select sum(greatest(c.reltuples, 0)) as rows, sum(pg_total_relation_size(c.oid)) as bytes
      from pg_class c where c.relkind = 'r' and c.oid in (select relid from pg_partition_tree(${table}::regclass) union select ${table}::regclass)
    `);
    rows += Number(row?.rows ?? 0);
    bytes += Number(row?.bytes ?? 0);
  }
  return { rows: Math.round(rows), bytes };
}
