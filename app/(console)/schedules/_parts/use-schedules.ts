"use client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTRPC } from "@/app/_trpc/client";

const PAGE = 200;

/** All schedules of the project: the ledger is narrowed by them, and a search goes through all. */
export function useSchedules(projectId: string) {
  const trpc = useTRPC();
  const found = useInfiniteQuery(
    trpc.schedules.list.infiniteQueryOptions(
      { projectId, limit: PAGE, next: 1 },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined },
    ),
  );
  const { hasNextPage, isFetchingNextPage, isError, fetchNextPage } = found;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !isError) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, isError, fetchNextPage]);
  return { rows: found.data?.pages.flatMap(({ items }) => items), error: found.error, refetch: () => void found.refetch() };
}
