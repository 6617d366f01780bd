import { linkSchema } from "@/server/engine/links/link-row";
import { openLink } from "@/server/engine/links/open-link";
import { permitted } from "../../trpc";

export const open = permitted("alert.handle")
  .input(linkSchema)
  .mutation(({ ctx, input }) => openLink(ctx, input));
