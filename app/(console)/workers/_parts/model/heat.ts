/** How dark a cell is: none where nothing failed, the darkest from half of the most on. */
export const HEATS = 4;
export function heatOf(count: number, most: number): number {
  if (count <= 0 || most <= 0) return 0;
  // By its logarithm: one failure is seen beside a thousand.
  return Math.min(HEATS, 1 + Math.floor((Math.log1p(count) / Math.log1p(most)) * (HEATS - 1)));
}

export interface Place {
  readonly row: number;
  readonly column: number;
}

/** Where a key leads from a cell, as in any grid; null for a key that is none of the grid's. */
export function placeAfter(
  key: string,
  isFar: boolean,
  { row, column }: Place,
  size: { readonly rows: number; readonly columns: number },
): Place | null {
  const within = (value: number, count: number) => Math.max(0, Math.min(count - 1, value));
  const to = (nextRow: number, nextColumn: number) => ({ row: within(nextRow, size.rows), column: within(nextColumn, size.columns) });
  switch (key) {
    case "ArrowUp":
      return to(row - 1, column);
    case "ArrowDown":
      return to(row + 1, column);
    case "ArrowLeft":
      return to(row, column - 1);
    case "ArrowRight":
      return to(row, column + 1);
    case "Home":
      return to(isFar ? 0 : row, 0);
    case "End":
      return to(isFar ? size.rows - 1 : row, size.columns - 1);
    default:
      return null;
  }
}
