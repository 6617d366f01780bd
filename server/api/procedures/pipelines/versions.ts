import { listVersions, listVersionsSchema } from "@/server/engine/pipelines/versions";
import { permitted } from "../../trpc";

export const versions = permitted("project.read")
  .input(listVersionsSchema)
  .query(({ ctx, input }) => listVersions(ctx, input));
