import { z } from "zod";
import { textSchema } from "@/server/domain/pipeline/definition";
import { triggerRun } from "@/server/engine/runs/trigger-run";
import { permitted } from "../../trpc";

const triggerInput = z.strictObject({
  projectId: z.uuid(),
  /** Id or name. */
  pipeline: z.string().min(1).max(64),
  params: z.record(z.string(), z.unknown()).optional(),
  /** Makes a click that is sent twice one run. */
  idempotencyKey: textSchema(200).min(1).optional(),
});

export const trigger = permitted("run.trigger")
  .input(triggerInput)
  .mutation(({ ctx, input }) => triggerRun(ctx, { ...input, kind: "manual" }));
