import { and, asc, desc, eq, gt, lt, sql } from "drizzle-orm";
import { z } from "zod";
import { attempts, logChunks } from "@/db/schema/runs";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { nodeKeySchema } from "@/server/domain/pipeline/definition";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { projectOfRun } from "./intervention";

export const logWindowSchema = z.strictObject({
  runId: z.uuid(),
  key: nodeKeySchema,
  /** The latest attempt where they are left out. */
  generation: z.int().min(1).max(1_000_000).optional(),
  attempt: z.int().min(1).max(1_000_000).optional(),
  /** Chunks after this one, oldest first: what a live tail asks next. */
  after: z.int().min(-1).max(2_000_000_000).optional(),
  /** Chunks before this one, for scrolling back. */
  before: z.int().min(0).max(2_000_000_000).optional(),
  /** How many chunks: the last ones, when neither `after` nor `before` is given. */
  tail: z.int().min(1).max(100).default(20),
});
export type LogWindow = z.input<typeof logWindowSchema>;

export interface LogLine {
  readonly at: string;
  readonly stream: "stdout" | "stderr" | "system";
  readonly text: string;
}

export interface LogView {
  readonly generation: number;
  readonly attempt: number;
  /** In order. */
  readonly chunks: readonly { readonly chunk: number; readonly lines: readonly LogLine[] }[];
  /** Older chunks exist before the first one here. */
  readonly olderExist: boolean;
  /** The attempt has ended and nothing comes after the last chunk here. */
  readonly ended: boolean;
  readonly bytes: number;
  readonly truncated: boolean;
}

/** A window on the log of one attempt: the end of it, what came after a chunk, or what came before one. */
export async function loadLogs(ctx: Ctx, given: LogWindow): Promise<LogView> {
  const window = parseInput(logWindowSchema, given);
  authorise(ctx, await projectOfRun(ctx, ctx.db, window.runId), "project.read");
  const attempt = await findAttempt(ctx, window);
  if (!attempt) throw new DomainError("not_found", `node "${window.key}" of run ${window.runId} has no such attempt`);
  const ofAttempt = and(
    eq(logChunks.runId, window.runId),
    eq(logChunks.nodeKey, window.key),
    eq(logChunks.generation, attempt.generation),
    eq(logChunks.attemptNo, attempt.no),
  );
  const forward = window.after !== undefined;
  const rows = await ctx.db
    .select({ chunk: logChunks.chunk, lines: logChunks.lines })
    .from(logChunks)
    .where(
      and(
        ofAttempt,
        window.after === undefined ? undefined : gt(logChunks.chunk, window.after),
        window.before === undefined ? undefined : lt(logChunks.chunk, window.before),
      ),
    )
    .orderBy(forward ? asc(logChunks.chunk) : desc(logChunks.chunk))
    .limit(window.tail);
  const chunks = forward ? rows : rows.reverse();
  const [extent] = await ctx.db
    .select({ first: sql<number | null>`min(${logChunks.chunk})`, last: sql<number | null>`max(${logChunks.chunk})` })
    .from(logChunks)
    .where(ofAttempt);
  const firstShown = chunks[0]?.chunk ?? (window.after ?? -1) + 1;
  const lastShown = chunks.at(-1)?.chunk ?? window.after ?? (window.before ?? 0) - 1;
  return {
    generation: attempt.generation,
    attempt: attempt.no,
    chunks,
    olderExist: extent?.first != null && extent.first < firstShown,
    ended: attempt.outcome !== null && (extent?.last ?? -1) <= lastShown,
    bytes: attempt.logBytes,
    truncated: attempt.logTruncated,
  };
}

async function findAttempt(ctx: Ctx, { runId, key, generation, attempt }: z.output<typeof logWindowSchema>) {
  const [row] = await ctx.db
    .select()
    .from(attempts)
    .where(
      and(
        eq(attempts.runId, runId),
        eq(attempts.nodeKey, key),
        generation === undefined ? undefined : eq(attempts.generation, generation),
        attempt === undefined ? undefined : eq(attempts.no, attempt),
      ),
    )
    .orderBy(desc(attempts.generation), desc(attempts.no))
    .limit(1);
  return row;
}
