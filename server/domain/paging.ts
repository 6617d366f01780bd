import { z } from "zod";

/** One page of a list that is read by keyset, so that rows which come meanwhile repeat or hide none (B91). */
export interface Page<T> {
  readonly items: readonly T[];
  /** Hand it back to read on; null at the end. */
  readonly nextCursor: string | null;
}

export const MAX_PAGE = 200;
export const DEFAULT_PAGE = 50;

export const pageLimitSchema = z.int().min(1).max(MAX_PAGE).default(DEFAULT_PAGE);
/** The id of the last row of the page before. */
export const idCursorSchema = z.uuid();

/** Makes a page of `limit + 1` rows: the last one only tells that there is more. */
export function pageOf<Row, T>(rows: readonly Row[], limit: number, cursorOf: (row: Row) => string, map: (row: Row) => T): Page<T> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { items: shown.map(map), nextCursor: rows.length > limit && last !== undefined ? cursorOf(last) : null };
}
