import { listTasks } from "@/server/engine/workers/list-workers";
import { permitted } from "../../trpc";

export const tasks = permitted("signed-in").query(({ ctx }) => listTasks(ctx));
