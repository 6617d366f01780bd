import { createPlaybook, createPlaybookSchema } from "@/server/engine/playbooks/save-playbook";
import { permitted } from "../../trpc";

export const create = permitted("playbook.manage")
  .input(createPlaybookSchema)
  .mutation(({ ctx, input }) => createPlaybook(ctx, input));
