import "server-only";
import { TRPCError } from "@trpc/server";
import { cache } from "react";
import { serverCaller } from "@/app/_trpc/server";
import type { RunView } from "../views";

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The run of an address; null where there is none, or none that this person may see. Asked once for title and page. */
export const loadRunPage = cache(async (runId: string): Promise<RunView | null> => {
  if (!ID.test(runId)) return null;
  try {
    return await (await serverCaller()).runs.get({ runId });
  } catch (error) {
    if (error instanceof TRPCError && (error.code === "NOT_FOUND" || error.code === "FORBIDDEN")) return null;
    throw error;
  }
});
