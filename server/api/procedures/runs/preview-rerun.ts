import { z } from "zod";
import { nodeKeySchema } from "@/server/domain/pipeline/definition";
import { NODE_ACTIONS } from "@/server/domain/run/possible";
import { previewRerun } from "@/server/engine/runs/preview-rerun";
import { permitted } from "../../trpc";

const previewInput = z.strictObject({ runId: z.uuid(), key: nodeKeySchema, action: z.enum(NODE_ACTIONS) });

/** What an intervention would run, reuse and skip. */
export const previewRerunProcedure = permitted("project.read")
  .input(previewInput)
  .query(({ ctx, input }) => previewRerun(ctx, input));
