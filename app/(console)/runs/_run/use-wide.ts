"use client";
import { useSyncExternalStore } from "react";

/** Where the page has room for two columns; the same width as `lg` in globals.css. */
const WIDE = "(min-width: 72rem)";

const subscribe = (listener: () => void) => {
  const query = window.matchMedia(WIDE);
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
};

export const useWide = (): boolean =>
  useSyncExternalStore(
    subscribe,
    () => window.matchMedia(WIDE).matches,
    () => true,
  );
