"use client";
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { BROWSER_ZONE_COOKIE, keepChoice, ZONE_COOKIE } from "./choices";

interface ClockFace {
  zone: string;
  /** True where a person chose the zone. */
  chosen: boolean;
  browserZone: string;
  /** null goes back to the browser's own zone. */
  setZone: (zone: string | null) => void;
  firstNowMs: number;
}

const ClockContext = createContext<ClockFace | null>(null);

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    for (const each of listeners) each();
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

export interface ClockProps {
  chosenZone: string | null;
  browserZone: string | null;
  /** The server's instant of this page, so that server and browser print the same first text. */
  firstNowMs: number;
  children: ReactNode;
}

export function Clock({ chosenZone, browserZone, firstNowMs, children }: ClockProps) {
  const [chosen, setChosen] = useState(chosenZone);
  const [own, setOwn] = useState(browserZone ?? "UTC");

  useEffect(() => {
    const found = Intl.DateTimeFormat().resolvedOptions().timeZone;
    setOwn(found);
    keepChoice(BROWSER_ZONE_COOKIE, found);
  }, []);

  const face = useMemo<ClockFace>(
    () => ({
      zone: chosen ?? own,
      chosen: chosen !== null,
      browserZone: own,
      setZone: (zone) => {
        setChosen(zone);
        keepChoice(ZONE_COOKIE, zone);
      },
      firstNowMs,
    }),
    [chosen, own, firstNowMs],
  );
  return <ClockContext value={face}>{children}</ClockContext>;
}

export function useZone(): Omit<ClockFace, "firstNowMs"> {
  const face = useContext(ClockContext);
  if (!face) throw new Error("useZone stands outside <Clock>: put the page under app/layout.tsx");
  return face;
}

/** The present instant in steps of `stepMs`; all that use it tick together. */
export function useNow(stepMs = 1000): number {
  const firstNowMs = useContext(ClockContext)?.firstNowMs ?? 0;
  const floor = (ms: number) => Math.floor(ms / stepMs) * stepMs;
  return useSyncExternalStore(
    subscribe,
    () => floor(Date.now()),
    () => floor(firstNowMs),
  );
}
