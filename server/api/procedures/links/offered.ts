import { offeredLinksOf, offeredSchema } from "@/server/engine/links/make-link";
import { permitted } from "../../trpc";

export const offered = permitted("project.read")
  .input(offeredSchema)
  .query(({ ctx, input }) => offeredLinksOf(ctx, input));
