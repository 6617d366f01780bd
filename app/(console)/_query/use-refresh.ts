"use client";
import { useQueryClient } from "@tanstack/react-query";

/** Asks again for all that is shown: after a deed nobody waits for the push, which may be paused or cut. */
export function useRefresh(): () => void {
  const queryClient = useQueryClient();
  return () => void queryClient.invalidateQueries({ refetchType: "active" });
}
