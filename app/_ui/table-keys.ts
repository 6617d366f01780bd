export type TableMove = { kind: "to"; row: number } | { kind: "open" } | { kind: "toggle" } | null;

/** What a key does in a table of `count` rows whose cursor stands on `at` (-1: nowhere yet). */
export function tableMove(key: string, at: number, count: number, page = 10): TableMove {
  if (count === 0) return null;
  const to = (row: number): TableMove => ({ kind: "to", row: Math.max(0, Math.min(count - 1, row)) });
  switch (key) {
    case "j":
    case "ArrowDown":
      return to(at + 1);
    case "k":
    case "ArrowUp":
      return to(at < 0 ? 0 : at - 1);
    case "PageDown":
      return to(at + page);
    case "PageUp":
      return to(at - page);
    case "Home":
      return to(0);
    case "End":
      return to(count - 1);
    case "Enter":
      return at < 0 ? null : { kind: "open" };
    case "x":
      return at < 0 ? null : { kind: "toggle" };
    default:
      return null;
  }
}
