"use client";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_trpc/client";

const PAGE = 50;
/** Counts move with the clock and tell no event. */
export const LOOK_AGAIN_MS = 30_000;

export function useDependencies(projectId: string) {
  const trpc = useTRPC();
  const found = useInfiniteQuery({
    ...trpc.dependencies.list.infiniteQueryOptions(
      { projectId, limit: PAGE },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined },
    ),
    placeholderData: keepPreviousData,
    refetchInterval: LOOK_AGAIN_MS,
  });
  return { ...found, rows: found.data?.pages.flatMap(({ items }) => items) };
}
