"use client";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import type { RunEventView } from "../views";
import { mergeEvents, tailCursor } from "./event-tail";

const PAGE = 200;
/** Read by itself; what comes after is read on demand. */
const MOST_AT_ONCE = 2_000;

export interface RunEvents {
  events: readonly RunEventView[];
  /** There are more than were read by themselves. */
  moreExist: boolean;
  loading: boolean;
  error: unknown;
  readOn: () => void;
}

interface Reading {
  events: readonly RunEventView[];
  /** Where the last reading stopped before the end. */
  unread: string | null;
  busy: boolean;
  again: boolean;
}

/** The events of a run, oldest first. They are only ever added to: `seq` says when to read on. */
export function useRunEvents(runId: string, seq: number): RunEvents {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [state, setState] = useState<Omit<RunEvents, "readOn">>({ events: [], moreExist: false, loading: true, error: null });
  const read = useRef<Reading>({ events: [], unread: null, busy: false, again: false });

  const readOn = useCallback(async () => {
    const at = read.current;
    if (at.busy) {
      at.again = true;
      return;
    }
    at.busy = true;
    try {
      let count = 0;
      let next = at.unread ?? tailCursor(at.events);
      do {
        const page: { items: readonly RunEventView[]; nextCursor: string | null } = await queryClient.fetchQuery({
          ...trpc.runs.events.queryOptions({ runId, limit: PAGE, ...(next === null ? {} : { cursor: next }) }),
          staleTime: 0,
          gcTime: 0,
        });
        at.events = mergeEvents(at.events, page.items);
        next = page.nextCursor;
        count += page.items.length;
        const { events } = at;
        setState({ events, moreExist: next !== null, loading: false, error: null });
      } while (next !== null && count < MOST_AT_ONCE);
      at.unread = next;
    } catch (error) {
      setState((before) => ({ ...before, loading: false, error }));
    }
    at.busy = false;
    if (!at.again) return;
    at.again = false;
    void readOn();
  }, [queryClient, trpc, runId]);

  useEffect(() => {
    if (seq >= 0) void readOn();
  }, [seq, readOn]);

  return { ...state, readOn: () => void readOn() };
}
