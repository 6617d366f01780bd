import { linkSchema } from "@/server/engine/links/link-row";
import { pressLink } from "@/server/engine/links/press-link";
import { permitted } from "../../trpc";

export const press = permitted("alert.handle")
  .input(linkSchema)
  .mutation(({ ctx, input }) => pressLink(ctx, input));
