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

export function appendLogs(_ctx: Pick<Ctx, "db">, _chunks: readonly LogChunk[]): Promise<void> {
  throw new Error("not built yet");
}
