import { setMemberRole, setMemberRoleSchema } from "@/server/engine/access/set-member-role";
import { permitted } from "../../trpc";

export const setRole = permitted("member.manage")
  .input(setMemberRoleSchema)
  .mutation(({ ctx, input }) => setMemberRole(ctx, input));
