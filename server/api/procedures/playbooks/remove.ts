import { playbookAsSeenSchema, removePlaybook } from "@/server/engine/playbooks/save-playbook";
import { permitted } from "../../trpc";

export const remove = permitted("playbook.manage")
  .input(playbookAsSeenSchema)
  .mutation(({ ctx, input }) => removePlaybook(ctx, input));
