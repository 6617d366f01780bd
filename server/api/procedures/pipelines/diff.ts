import { diffVersions, diffVersionsSchema } from "@/server/engine/pipelines/versions";
import { permitted } from "../../trpc";

export const diff = permitted("project.read")
  .input(diffVersionsSchema)
  .query(({ ctx, input }) => diffVersions(ctx, input));
