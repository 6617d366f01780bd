"use client";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_trpc/client";
import type { CodeLine } from "./views";

const PAGE = 50;

export interface CodeSight {
  search: string;
  state: CodeLine["state"] | null;
  grade: CodeLine["grade"] | null;
}

export function useCodes(projectId: string, { search, state, grade }: CodeSight) {
  const trpc = useTRPC();
  const asked = { projectId, limit: PAGE, ...(search ? { search } : {}), ...(state ? { state } : {}), ...(grade ? { grade } : {}) };
  const found = useInfiniteQuery({
    ...trpc.codes.list.infiniteQueryOptions(asked, { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined }),
    placeholderData: keepPreviousData,
  });
  return { ...found, rows: found.data?.pages.flatMap(({ items }) => items) };
}

export function useTriage(projectId: string) {
  const trpc = useTRPC();
  const found = useInfiniteQuery({
    ...trpc.codes.triage.infiniteQueryOptions(
      { projectId, limit: PAGE },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined },
    ),
    placeholderData: keepPreviousData,
  });
  return { ...found, rows: found.data?.pages.flatMap(({ items }) => items) };
}
