import { z } from "zod";
import { nodeKeySchema } from "@/server/domain/pipeline/definition";
import type { Ctx } from "@/server/engine/context";

export const logWindowSchema = z.strictObject({
  runId: z.uuid(),
  key: nodeKeySchema,
  /** The latest attempt where they are left out. */
  generation: z.int().min(1).optional(),
  attempt: z.int().min(1).optional(),
  /** Chunks after this one, oldest first: what a live tail asks next. */
  after: z.int().min(-1).optional(),
  /** Chunks before this one, for scrolling back. */
  before: z.int().min(0).optional(),
  /** The last chunks, when neither `after` nor `before` is given. */
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
  readonly chunks: readonly { readonly chunk: number; readonly lines: readonly LogLine[] }[];
  /** Older chunks exist before the first one here. */
  readonly olderExist: boolean;
  /** The attempt has ended and nothing comes after the last chunk here. */
  readonly ended: boolean;
  readonly bytes: number;
  readonly truncated: boolean;
}

export function loadLogs(_ctx: Ctx, _window: LogWindow): Promise<LogView> {
  throw new Error("not built yet");
}
