import { gt, sql } from "drizzle-orm";
import { z } from "zod";
import { workers } from "@/db/schema/platform";
import { boardCells } from "@/db/statements/breakers/board-cells";
import { type BoardCell, judgeBoard, type Verdict } from "@/server/domain/breaker/blame";
import { parseInput } from "@/server/domain/input";
import { refuseAnonymous } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { storedNow } from "@/server/engine/stored-clock";
import { visibleProjects } from "./visible-projects";

export const BOARD_HOURS = [1, 6, 24] as const;
export const boardSchema = z.strictObject({ hours: z.literal(BOARD_HOURS).default(6) });
export type BoardInput = z.input<typeof boardSchema>;

export interface Board {
  readonly since: Date;
  readonly workers: readonly { readonly id: string; readonly isLive: boolean }[];
  /** Those with the most failures first. */
  readonly codes: readonly string[];
  readonly cells: readonly BoardCell[];
  readonly verdict: Verdict;
  /** Codes that are left out, since the board would be longer than anyone reads. */
  readonly codesLeftOut: number;
  /** Of a worker with more failures than this, the newest are counted. */
  readonly mostOfEach: number;
}

const MOST_OF_EACH = 2_000;
const MOST_CODES = 40;
const MOST_WORKERS = 200;

/** Workers × codes of the last hours, and who is to blame, over the projects that the reader has a role in (EXC-6). */
export async function loadBoard(ctx: Ctx, input: BoardInput): Promise<Board> {
  const { hours } = parseInput(boardSchema, input);
  refuseAnonymous(ctx);
  const now = await storedNow(ctx, ctx.db);
  const since = new Date(now.getTime() - hours * 3_600_000);
  const isLive = sql<boolean>`${workers.expiresAt} > ${now.toISOString()}::timestamptz`;
  const known = await ctx.db
    .select({ id: workers.id, isLive })
    .from(workers)
    .where(gt(workers.seenAt, since))
    .orderBy(workers.id)
    .limit(MOST_WORKERS);
  const rows = await boardCells(
    ctx.db,
    known.map(({ id }) => id),
    { since, projectIds: visibleProjects(ctx.principal), mostOfEach: MOST_OF_EACH },
  );
  const all = rows.map(({ worker_id, code, count }): BoardCell => ({ worker: worker_id, code, count }));
  const ranked = rankedCodes(all);
  const codes = ranked.slice(0, MOST_CODES);
  return {
    since,
    workers: known,
    codes,
    cells: all.filter(({ code }) => codes.includes(code)),
    verdict: judgeBoard(all, known.filter((worker) => worker.isLive).length),
    codesLeftOut: ranked.length - codes.length,
    mostOfEach: MOST_OF_EACH,
  };
}

function rankedCodes(cells: readonly BoardCell[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { code, count } of cells) counts.set(code, (counts.get(code) ?? 0) + count);
  return [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).map(([code]) => code);
}
