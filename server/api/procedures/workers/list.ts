import { listWorkers } from "@/server/engine/workers/list-workers";
import { permitted } from "../../trpc";

export const list = permitted("signed-in").query(({ ctx }) => listWorkers(ctx));
