"use client";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_trpc/client";

const PAGE = 50;

export function useReviews(projectId: string, code: string) {
  const trpc = useTRPC();
  const summary = useQuery(trpc.reviews.summary.queryOptions({ projectId }));
  const found = useInfiniteQuery({
    ...trpc.reviews.list.infiniteQueryOptions(
      { projectId, limit: PAGE, ...(code === "" ? {} : { code }) },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined },
    ),
    placeholderData: keepPreviousData,
  });
  return { ...found, summary: summary.data, rows: found.data?.pages.flatMap(({ items }) => items) };
}
