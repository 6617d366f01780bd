"use client";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_trpc/client";

const PAGE = 50;
/** A release goes on by itself: its progress is looked at again and again. */
const LOOK_AGAIN_MS = 2_000;

export function useValves(projectId: string, show: "open" | "ended") {
  const trpc = useTRPC();
  const found = useInfiniteQuery({
    ...trpc.valves.list.infiniteQueryOptions({ projectId, show, limit: PAGE }, { getNextPageParam: nextOf }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some((row) => row.state === "releasing" || row.state === "closing"))
        ? LOOK_AGAIN_MS
        : false,
  });
  return { ...found, rows: found.data?.pages.flatMap(({ items }) => items) };
}

const nextOf = ({ nextCursor }: { nextCursor: string | null }) => (nextCursor === null ? undefined : Number(nextCursor));
