import { changePlaybook, changePlaybookSchema } from "@/server/engine/playbooks/save-playbook";
import { permitted } from "../../trpc";

export const change = permitted("playbook.manage")
  .input(changePlaybookSchema)
  .mutation(({ ctx, input }) => changePlaybook(ctx, input));
