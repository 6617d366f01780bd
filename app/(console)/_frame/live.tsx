"use client";
import { createContext, type ReactNode, useContext } from "react";
import type { LiveState } from "./frame-data";

const LiveContext = createContext<LiveState>({ kind: "offline", sinceMs: null });

export const LiveGround = ({ live, children }: { live: LiveState; children: ReactNode }) => (
  <LiveContext value={live}>{children}</LiveContext>
);

/** Whether what is shown of the current project follows by itself; everything that shows freshness reads it. */
export const useLiveState = (): LiveState => useContext(LiveContext);
