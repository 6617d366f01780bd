import { useSyncExternalStore } from "react";
import type { LiveState } from "./frame-data";

const BEFORE: LiveState = { kind: "offline", sinceMs: null };

let state: LiveState = BEFORE;
const listeners = new Set<() => void>();

/** Told by the push connection; everything that shows freshness reads it. */
export function setLive(next: LiveState) {
  state = next;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};

export const useLive = (): LiveState =>
  useSyncExternalStore(
    subscribe,
    () => state,
    () => BEFORE,
  );
