import { loadVersion, loadVersionSchema } from "@/server/engine/pipelines/versions";
import { permitted } from "../../trpc";

export const version = permitted("project.read")
  .input(loadVersionSchema)
  .query(({ ctx, input }) => loadVersion(ctx, input));
