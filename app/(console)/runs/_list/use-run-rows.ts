"use client";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import type { RunRow } from "../views";
import { addOlder, type FreshRows, letIn, noRows, takeLook } from "./model/fresh-rows";
import type { RunFilters } from "./model/run-filters";

const PAGE = 50;
/** So many rows from the top are kept fresh; what lies below has long ended. */
const MOST_FRESH = 200;

interface List {
  rows: FreshRows<RunRow>;
  /** Where to read on; null at the end, undefined before anything was read. */
  next: string | null | undefined;
}

/** The rows of one filter: mount it anew when the filter changes. */
export function useRunRows(projectId: string, filters: RunFilters) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [list, setList] = useState<List>({ rows: noRows(), next: undefined });
  const [more, setMore] = useState<{ busy: boolean; error: unknown }>({ busy: false, error: null });

  const filter = {
    projectId,
    ...(filters.pipeline === null ? {} : { pipeline: filters.pipeline }),
    ...(filters.states.length === 0 ? {} : { state: [...filters.states] }),
    ...(filters.triggers.length === 0 ? {} : { trigger: [...filters.triggers] }),
  };
  const known = list.rows.shown.length + list.rows.waiting.length;
  const limit = Math.min(MOST_FRESH, Math.max(PAGE, Math.ceil((known + 1) / PAGE) * PAGE));
  const look = useQuery({ ...trpc.runs.list.queryOptions({ ...filter, limit }), placeholderData: keepPreviousData });
  const { data, isPlaceholderData } = look;

  useEffect(() => {
    if (!data || isPlaceholderData) return;
    setList((before) => {
      const rows = takeLook(before.rows, data.items);
      const first = before.next === undefined || before.rows.shown.length === 0;
      return { rows, next: first ? data.nextCursor : before.next };
    });
  }, [data, isPlaceholderData]);

  const loadMore = async () => {
    if (!list.next) return;
    setMore({ busy: true, error: null });
    try {
      const page = await queryClient.fetchQuery(trpc.runs.list.queryOptions({ ...filter, cursor: list.next, limit: PAGE }));
      setList((before) => ({ rows: addOlder(before.rows, page.items), next: page.nextCursor }));
      setMore({ busy: false, error: null });
    } catch (error) {
      setMore({ busy: false, error });
    }
  };

  const showWaiting = useCallback(
    () =>
      setList(({ rows, next }) => {
        const shown = letIn(rows);
        return { rows: shown, next: rows.broken ? (shown.shown.at(-1)?.id ?? null) : next };
      }),
    [],
  );

  return {
    rows: list.next === undefined ? undefined : list.rows.shown,
    waiting: list.rows.waiting.length,
    showWaiting,
    more: { ...more, exists: Boolean(list.next), load: () => void loadMore() },
    error: look.error,
    retry: () => void look.refetch(),
  };
}
