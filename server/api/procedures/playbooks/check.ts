import { runCheck, runCheckSchema } from "@/server/engine/playbooks/run-check";
import { permitted } from "../../trpc";

export const check = permitted("project.read")
  .input(runCheckSchema)
  .query(({ ctx, input }) => runCheck(ctx, input));
