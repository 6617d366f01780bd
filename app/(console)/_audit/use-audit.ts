"use client";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_trpc/client";

export interface AuditScope {
  /** Null for the installation. */
  projectId: string | null;
  actor?: string;
  verb?: string;
  objectKind?: string;
  objectId?: string;
  from?: Date;
  to?: Date;
}

const PAGE = 50;

export function useAudit(scope: AuditScope) {
  const trpc = useTRPC();
  const found = useInfiniteQuery({
    ...trpc.audit.list.infiniteQueryOptions({ ...scope, limit: PAGE }, { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined }),
    placeholderData: keepPreviousData,
  });
  return { ...found, rows: found.data?.pages.flatMap(({ items }) => items) };
}
