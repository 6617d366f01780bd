import { codeSettingsSchema, loadCodeSettings } from "@/server/engine/codes/set-reviewers";
import { permitted } from "../../trpc";

export const settings = permitted("project.read")
  .input(codeSettingsSchema)
  .query(({ ctx, input }) => loadCodeSettings(ctx, input));
