import { logChunks } from "@/db/schema/runs";
import { plainJson } from "@/server/domain/canonical-json";
import type { Ctx } from "@/server/engine/context";

export interface LogChunk {
  readonly runId: string;
  readonly key: string;
  readonly generation: number;
  readonly attemptNo: number;
  /** Counted from 0 by the worker; a chunk that comes twice is stored once. */
  readonly chunk: number;
  readonly lines: readonly { readonly at: string; readonly stream: "stdout" | "stderr" | "system"; readonly text: string }[];
  readonly bytes: number;
}

/** Appends chunks of logs. Text that jsonb cannot hold, such as a NUL, is marked in its place. */
export async function appendLogs(ctx: Pick<Ctx, "db">, chunks: readonly LogChunk[]): Promise<void> {
  if (chunks.length === 0) return;
  await ctx.db
    .insert(logChunks)
    .values(
      chunks.map(({ runId, key, generation, attemptNo, chunk, lines, bytes }) => ({
        runId,
        nodeKey: key,
        generation,
        attemptNo,
        chunk,
        lines: lines.map(({ at, stream, text }) => ({ at, stream, text: String(plainJson(text)) })),
        bytes,
      })),
    )
    .onConflictDoNothing();
}
