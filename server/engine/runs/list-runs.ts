import { z } from "zod";
import { idCursorSchema, type Page, pageLimitSchema } from "@/server/domain/paging";
import type { Actor } from "@/server/domain/run/model";
import { RUN_STATES, type RunState } from "@/server/domain/run/states";
import type { Ctx } from "@/server/engine/context";

export const runFilterSchema = z.strictObject({
  projectId: z.uuid(),
  /** Id or name of a pipeline. */
  pipeline: z.string().min(1).max(64).optional(),
  state: z.array(z.enum(RUN_STATES)).max(RUN_STATES.length).optional(),
  cursor: idCursorSchema.optional(),
  limit: pageLimitSchema,
});
export type RunFilter = z.input<typeof runFilterSchema>;

export interface RunRow {
  readonly id: string;
  readonly state: RunState;
  readonly pipeline: { readonly id: string; readonly name: string; readonly title: string };
  readonly versionNo: number;
  readonly trigger: { readonly kind: "manual" | "api" | "schedule" | "rerun"; readonly actor: Actor; readonly scheduledAt: Date | null };
  readonly businessKeys: Readonly<Record<string, string>>;
  readonly times: { readonly createdAt: Date; readonly startedAt: Date | null; readonly endedAt: Date | null };
  /** Nodes by state. */
  readonly nodes: Readonly<Record<string, number>>;
  readonly seq: number;
}

/** Newest first, by keyset. */
export function listRuns(_ctx: Ctx, _filter: RunFilter): Promise<Page<RunRow>> {
  throw new Error("not built yet");
}
