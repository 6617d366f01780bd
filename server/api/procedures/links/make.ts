import { makeLink, makeLinkSchema } from "@/server/engine/links/make-link";
import { permitted } from "../../trpc";

export const make = permitted("alert.handle")
  .input(makeLinkSchema)
  .mutation(({ ctx, input }) => makeLink(ctx, input));
