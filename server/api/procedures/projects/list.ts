import { listProjects } from "@/server/engine/projects/list-projects";
import { permitted } from "../../trpc";

export const list = permitted("signed-in").query(({ ctx }) => listProjects(ctx));
