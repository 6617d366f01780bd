"use client";
import { useTranslations } from "next-intl";
import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { Checkbox } from "./checkbox";
import { cn } from "./class-names";
import { SkeletonRows } from "./skeleton";
import { TableBody } from "./table-body";
import { type Column, isOwnControl, type TableSelection, type TableSort } from "./table-column";
import { TableHead } from "./table-head";
import { tableMove } from "./table-keys";

export interface TableProps<R> {
  label: string;
  columns: readonly Column<R>[];
  rows: readonly R[] | undefined;
  keyOf: (row: R) => string;
  onOpen?: (row: R) => void;
  /** The row that a side panel shows. */
  openKey?: string;
  selection?: TableSelection<R>;
  sort?: TableSort;
  onSort?: (sort: TableSort) => void;
  /** In place of rows where there are none. */
  empty?: ReactNode;
  /** The page's main table: j, k and Enter work without clicking into it. */
  main?: boolean;
  /** Under the last row: load more, the count. */
  footer?: ReactNode;
  /** Two-line rows and such; 32 px otherwise. */
  rowHeight?: number;
  className?: string;
}

export function Table<R>(props: TableProps<R>) {
  const { label, columns, rows, keyOf, onOpen, selection, empty, main, footer, className } = props;
  const t = useTranslations("ui");
  const ground = useRef<HTMLDivElement>(null);
  const [cursor, setCursor] = useState<string | null>(null);
  const list = rows ?? [];
  const at = cursor === null ? -1 : list.findIndex((row) => keyOf(row) === cursor);

  const toggle = useCallback(
    (key: string) => {
      if (!selection) return;
      const next = new Set(selection.keys);
      if (!next.delete(key)) next.add(key);
      selection.onKeys(next);
    },
    [selection],
  );

  const press = (key: string): boolean => {
    const move = tableMove(key, at, list.length);
    const row = list[move?.kind === "to" ? move.row : at];
    if (!move || !row) return false;
    if (move.kind === "to") setCursor(keyOf(row));
    else if (move.kind === "open") onOpen?.(row);
    else toggle(keyOf(row));
    return true;
  };
  const latest = useRef(press);
  useEffect(() => {
    latest.current = press;
  });

  useEffect(() => {
    if (!main) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return;
      if (document.querySelector("[role=dialog],[role=alertdialog],[role=menu]")) return;
      const inside = ground.current?.contains(document.activeElement) ?? false;
      if (isOwnControl(event.target) || (!inside && event.key !== "j" && event.key !== "k")) return;
      if (latest.current(event.key)) event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [main]);

  if (rows === undefined) return <SkeletonRows label={t("loading")} />;
  if (rows.length === 0 && empty) return <>{empty}</>;
  const all = selection !== undefined && list.length > 0 && list.every((row) => selection.keys.has(keyOf(row)));

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys that bubble from the rows, which take the focus
    <div
      ref={ground}
      className={cn("min-w-0", className)}
      onKeyDown={(event) => {
        if (main || isOwnControl(event.target) || event.metaKey || event.ctrlKey || event.altKey) return;
        if (press(event.key)) event.preventDefault();
      }}
    >
      <table aria-label={label} aria-rowcount={list.length + 1} className="w-full table-fixed border-separate border-spacing-0 text-table">
        <TableHead
          columns={columns}
          sort={props.sort}
          onSort={props.onSort}
          selectAll={
            selection ? (
              <Checkbox
                name={t("selectAll")}
                checked={all ? true : selection.keys.size > 0 ? "indeterminate" : false}
                onChecked={(checked) => selection.onKeys(new Set(checked ? list.map(keyOf) : []))}
              />
            ) : null
          }
        />
        <TableBody {...props} rows={list} at={at} ground={ground} onCursor={setCursor} onToggle={toggle} />
      </table>
      {footer ? <div className="flex min-h-10 items-center gap-3 px-3 py-2 text-ink-3 text-meta">{footer}</div> : null}
    </div>
  );
}
