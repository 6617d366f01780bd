import { addMember, addMemberSchema } from "@/server/engine/access/add-member";
import { permitted } from "../../trpc";

export const add = permitted("member.manage")
  .input(addMemberSchema)
  .mutation(({ ctx, input }) => addMember(ctx, input));
