import { z } from "zod";
import type { Page } from "@/server/domain/paging";
import { pageLimitSchema } from "@/server/domain/paging";
import type { Actor } from "@/server/domain/run/model";
import type { Ctx } from "@/server/engine/context";

export const runEventsFilterSchema = z.strictObject({
  runId: z.uuid(),
  /** Id of the last event of the page before. */
  cursor: z
    .string()
    .regex(/^\d{1,18}$/)
    .optional(),
  limit: pageLimitSchema,
});
export type RunEventsFilter = z.input<typeof runEventsFilterSchema>;

export interface RunEventView {
  readonly id: string;
  readonly at: Date;
  /** An event of the transition table, `run.<what>`, or `late.<event>` for what was recorded and not applied. */
  readonly event: string;
  readonly nodeKey: string | null;
  readonly generation: number | null;
  readonly attemptNo: number | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly actor: Actor;
  readonly cause: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Everything that happened to a run, oldest first. */
export function listRunEvents(_ctx: Ctx, _filter: RunEventsFilter): Promise<Page<RunEventView>> {
  throw new Error("not built yet");
}
