import { removeMember, removeMemberSchema } from "@/server/engine/access/remove-member";
import { permitted } from "../../trpc";

export const remove = permitted("member.manage")
  .input(removeMemberSchema)
  .mutation(({ ctx, input }) => removeMember(ctx, input));
