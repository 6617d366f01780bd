import { sql } from "drizzle-orm";
import type { Ctx } from "@/server/engine/context";
import type { Fence } from "@/server/engine/leadership/fence";
import { requireTermToLook } from "@/server/engine/leadership/require-term";
import type { Partition } from "./months";

/** A reader held it for longer than a drop may wait, or another session is at it: the next pass tries again. */
export const isBusy = (error: unknown): boolean => {
  for (let e: unknown = error; e instanceof Error; e = e.cause) {
    if ("code" in e && typeof e.code === "string") return ["55P03", "57014", "55000", "55006"].includes(e.code);
  }
  return false;
};

/**
 * Takes a partition out beside readers and writers of its table, and drops it. None of it can be in a transaction, so each step is
 * one that the next pass goes on from: half detached, detached, gone. The settings of a leader's connection bound each wait.
 * False where it was put back.
 */
export async function dropPartition(ctx: Ctx, fence: Fence, partition: Partition): Promise<boolean> {
  const [table, name] = [sql.identifier(partition.table), sql.identifier(partition.name)];
  if (partition.state !== "detached") {
    await requireTermToLook(ctx.db, fence);
    const how = partition.state === "pending" ? sql`finalize` : sql`concurrently`;
    await ctx.db.execute(sql`alter table ${table} detach partition ${name} ${how}`);
  }
  // A run could have been begun again between the look and now. Nobody can any more, so the look counts; then it is put back.
  if (partition.table === "runs" && (await hasLiveRun(ctx, partition.name))) {
    await putBack(ctx, partition);
    return false;
  }
  await requireTermToLook(ctx.db, fence);
  await ctx.db.execute(sql`drop table ${name}`);
  return true;
}

async function hasLiveRun(ctx: Ctx, name: string): Promise<boolean> {
  const live = await ctx.db.execute(sql`select 1 from ${sql.identifier(name)} where state in ('PENDING','RUNNING','PAUSED') limit 1`);
  return live.length > 0;
}

async function putBack(ctx: Ctx, { table, name }: Partition): Promise<void> {
  const [year, month] = name.slice(-7).split("_").map(Number);
  const floor = (at: Date) => sql.raw(`'${at.toISOString()}'`);
  const [from, to] = [new Date(Date.UTC(year ?? 0, (month ?? 1) - 1)), new Date(Date.UTC(year ?? 0, month ?? 1))];
  const [bounds] = await ctx.db.execute<{ lo: string; hi: string }>(
    sql`select uuid7_floor(${floor(from)}::timestamptz) as lo, uuid7_floor(${floor(to)}::timestamptz) as hi`,
  );
  if (!bounds) return;
  await ctx.db.execute(
    sql`alter table ${sql.identifier(table)} attach partition ${sql.identifier(name)} for values from (${sql.raw(`'${bounds.lo}'`)}) to (${sql.raw(`'${bounds.hi}'`)})`,
  );
  ctx.log.warn({ partition: name }, "a month of runs was put back: one of them had begun again");
}
