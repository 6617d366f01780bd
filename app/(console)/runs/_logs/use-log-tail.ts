"use client";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useReducer, useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import type { LogView } from "../views";
import { EMPTY_TAIL, firstChunk, joinPage, type LogTail, nextAfter } from "./model/log-tail";

export interface LogPlace {
  runId: string;
  key: string;
  generation: number;
  attempt: number;
}

const EVERY_MS = 700;
/** A worker hands in its last lines beside the result, so that they may come just behind it. */
const AFTERWARDS_MS = 2_000;
const PAGE = 100;

type Asked = "tail" | "after" | "before";
type Step = { page: LogView; asked: Asked };

export type ReadLogs = (window: { after?: number; before?: number; tail: number }) => Promise<LogView>;

export function useReadLogs({ runId, key, generation, attempt }: LogPlace): ReadLogs {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  return useCallback(
    (window) =>
      queryClient.fetchQuery({
        ...trpc.runs.logs.queryOptions({ runId, key, generation, attempt, ...window }),
        staleTime: 0,
        gcTime: 0,
        retry: false,
      }),
    [queryClient, trpc, runId, key, generation, attempt],
  );
}

/** The log of one attempt, read on while it runs: mount it anew for another attempt. */
export function useLogTail(place: LogPlace) {
  const read = useReadLogs(place);
  const [tail, join] = useReducer((before: LogTail, { page, asked }: Step) => joinPage(before, page, asked), EMPTY_TAIL);
  const [error, setError] = useState<unknown>(null);
  const [olderBusy, setOlderBusy] = useState(false);
  const [last, setLast] = useState(false);
  const [round, setRound] = useState(0);
  const done = tail.ended && last;

  // biome-ignore lint/correctness/useExhaustiveDependencies: each round asks once with what the round before it has found
  useEffect(() => {
    if (done) return;
    let gone = false;
    const ask = async () => {
      try {
        const page = tail.loaded ? await read({ after: nextAfter(tail), tail: PAGE }) : await read({ tail: PAGE });
        if (gone) return;
        if (tail.ended) setLast(true);
        join({ page, asked: tail.loaded ? "after" : "tail" });
        setError(null);
      } catch (failure) {
        if (!gone) setError(failure);
      }
      if (!gone) setRound(round + 1);
    };
    const pause = tail.loaded ? (tail.ended ? AFTERWARDS_MS : EVERY_MS) : error ? AFTERWARDS_MS : 0;
    const timer = setTimeout(() => void ask(), pause);
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [round, done, read]);

  const loadOlder = async () => {
    const before = firstChunk(tail);
    if (before === null || olderBusy) return;
    setOlderBusy(true);
    try {
      join({ page: await read({ before, tail: PAGE }), asked: "before" });
      setError(null);
    } catch (failure) {
      setError(failure);
    }
    setOlderBusy(false);
  };

  return { tail, error, olderBusy, loadOlder: () => void loadOlder(), read };
}
