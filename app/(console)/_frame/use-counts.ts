"use client";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_trpc/client";
import type { FrameData } from "./frame-data";

/** The numbers beside the places of the rail: what waits for a person. It comes with the push, and each minute without. */
export function useCounts(projectId: string | null): FrameData["counts"] {
  const trpc = useTRPC();
  const reviews = useQuery({
    ...trpc.reviews.summary.queryOptions({ projectId: projectId ?? "" }),
    enabled: projectId !== null,
    refetchInterval: 60_000,
  });
  return reviews.data ? { reviews: reviews.data.total } : undefined;
}
