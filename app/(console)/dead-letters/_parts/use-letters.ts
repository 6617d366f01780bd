"use client";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_trpc/client";

const PAGE = 50;

export function useLetters(projectId: string, show: "open" | "closed") {
  const trpc = useTRPC();
  const found = useInfiniteQuery({
    ...trpc.deadLetters.list.infiniteQueryOptions(
      { projectId, show, limit: PAGE },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined },
    ),
    placeholderData: keepPreviousData,
  });
  return { ...found, rows: found.data?.pages.flatMap(({ items }) => items) };
}
