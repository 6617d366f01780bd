import { z } from "zod";
import { pipelineNameSchema, textSchema } from "@/server/domain/pipeline/definition";
import { applyDefinition } from "@/server/engine/pipelines/apply-definition";
import { permitted } from "../../trpc";

const applyInput = z.strictObject({
  projectId: z.uuid(),
  name: pipelineNameSchema,
  /** YAML or JSON. */
  text: z.string().max(2_000_000),
  message: textSchema(2_000).optional(),
  dryRun: z.boolean().default(false),
});

/** A definition as text makes a live version; with `dryRun` it only tells what would change. */
export const applyText = permitted("pipeline.publish")
  .input(applyInput)
  .mutation(({ ctx, input: { text, ...input } }) => applyDefinition(ctx, { ...input, source: { kind: "text", text } }));
