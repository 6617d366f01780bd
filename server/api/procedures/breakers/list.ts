import { listBreakers } from "@/server/engine/breaker/list-breakers";
import { permitted } from "../../trpc";

export const list = permitted("signed-in").query(({ ctx }) => listBreakers(ctx));
