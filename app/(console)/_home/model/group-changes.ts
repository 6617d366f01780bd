import type { ChangeLine } from "../views";

export interface ChangeGroup {
  /** The newest of them. */
  readonly newest: ChangeLine;
  /** How many rows stand behind it. */
  readonly count: number;
  /** How many different objects. */
  readonly objects: number;
}

/** Rows in a row by one actor with one verb are one deed to a reader: an import of thirty, a draft that was saved ten times. */
export function groupChanges(newestFirst: readonly ChangeLine[]): ChangeGroup[] {
  const groups: { newest: ChangeLine; rows: ChangeLine[] }[] = [];
  for (const row of newestFirst) {
    const group = groups.at(-1);
    const same = group && group.newest.actor.id === row.actor.id && group.newest.verb === row.verb && group.newest.reason === row.reason;
    if (same) group.rows.push(row);
    else groups.push({ newest: row, rows: [row] });
  }
  return groups.map(({ newest, rows }) => ({ newest, count: rows.length, objects: new Set(rows.map(({ object }) => object.id)).size }));
}
