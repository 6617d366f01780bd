import { listPlaybooks, playbooksOfSchema } from "@/server/engine/playbooks/list-playbooks";
import { permitted } from "../../trpc";

export const list = permitted("project.read")
  .input(playbooksOfSchema)
  .query(({ ctx, input }) => listPlaybooks(ctx, input));
