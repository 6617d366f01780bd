import type { ReactNode } from "react";

/** Something that the palette can do or go to. Pages hand in their own beside those of the frame. */
export interface Command {
  key: string;
  label: string;
  group: string;
  icon?: ReactNode;
  /** More words that find it. */
  also?: string;
  hint?: string;
  shortcut?: string;
  href?: string;
  run?: () => void;
}

/** Finds pipelines, runs and the like; aborted when typing goes on. */
export type CommandSearch = (query: string, signal: AbortSignal) => Promise<readonly Command[]>;
