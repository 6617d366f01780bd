"use client";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTRPC } from "@/app/_trpc/client";

const PAGE = 200;

/** The whole inventory, page after page: filters and owners speak of all of it. */
export function usePipelines(projectId: string, search: string, archived: boolean) {
  const trpc = useTRPC();
  const found = useInfiniteQuery({
    ...trpc.pipelines.list.infiniteQueryOptions(
      { projectId, limit: PAGE, archived, ...(search === "" ? {} : { search }) },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined },
    ),
    placeholderData: keepPreviousData,
  });
  const { hasNextPage, isFetchingNextPage, fetchNextPage, isError } = found;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !isError) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, isError, fetchNextPage]);
  return { ...found, rows: found.data?.pages.flatMap(({ items }) => items), whole: !hasNextPage };
}
