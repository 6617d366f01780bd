import type { ReactNode } from "react";

export interface Column<R> {
  key: string;
  head: ReactNode;
  cell: (row: R) => ReactNode;
  /** CSS width such as `8rem`; columns without one share what is left. */
  width?: string;
  align?: "start" | "end";
  /** Shown from this screen width on; the first columns stay on a phone. */
  from?: "sm" | "md" | "lg" | "xl";
  /** The head sorts by this column's key. */
  sortable?: boolean;
  /** The name where the head is empty. */
  name?: string;
}

export interface TableSort {
  key: string;
  down: boolean;
}

export interface TableSelection<R> {
  keys: ReadonlySet<string>;
  onKeys: (keys: ReadonlySet<string>) => void;
  /** What is selected, for screen readers. */
  nameOf: (row: R) => string;
}

export const COLUMN_FROM = { sm: "max-sm:hidden", md: "max-md:hidden", lg: "max-lg:hidden", xl: "max-xl:hidden" } as const;

const OWN_CONTROLS = "a,button,input,select,textarea,[contenteditable],[role=checkbox],[role=menuitem],[role=option]";

/** Controls in a row keep their own keys and clicks. */
export const isOwnControl = (target: EventTarget | null): boolean => target instanceof Element && target.closest(OWN_CONTROLS) !== null;
