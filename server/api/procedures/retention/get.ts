import { loadRetention } from "@/server/engine/retention/load-retention";
import { permitted } from "../../trpc";

export const get = permitted("administrator").query(({ ctx }) => loadRetention(ctx));
