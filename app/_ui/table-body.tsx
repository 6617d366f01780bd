"use client";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useTranslations } from "next-intl";
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Checkbox } from "./checkbox";
import { cn } from "./class-names";
import { COLUMN_FROM, type Column, isOwnControl, type TableSelection } from "./table-column";

/** Below this many rows the browser draws them all: finding in the page and printing then work. */
const VIRTUAL_FROM = 120;

interface TableBodyProps<R> {
  columns: readonly Column<R>[];
  rows: readonly R[];
  keyOf: (row: R) => string;
  onOpen?: (row: R) => void;
  openKey?: string;
  selection?: TableSelection<R>;
  rowHeight?: number;
  main?: boolean;
  at: number;
  ground: RefObject<HTMLDivElement | null>;
  onCursor: (key: string) => void;
  onToggle: (key: string) => void;
}

export function TableBody<R>(props: TableBodyProps<R>) {
  const { rows, keyOf, at, ground, rowHeight = 32 } = props;
  const virtual = rows.length >= VIRTUAL_FROM;
  const body = useRef<HTMLTableSectionElement>(null);
  const wanted = useRef(-1);
  const [margin, setMargin] = useState(0);
  const scroller = () => ground.current?.closest<HTMLElement>("[data-scroll]") ?? null;

  const virtualizer = useVirtualizer({
    count: rows.length,
    enabled: virtual,
    getScrollElement: scroller,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: margin,
    initialRect: { width: 1200, height: 900 },
  });

  useLayoutEffect(() => {
    const outer = ground.current?.closest<HTMLElement>("[data-scroll]");
    if (!virtual || !outer || !body.current) return;
    setMargin(body.current.getBoundingClientRect().top - outer.getBoundingClientRect().top + outer.scrollTop);
  }, [virtual, ground]);

  useEffect(() => {
    wanted.current = at;
  }, [at]);

  // The wanted row may be far off and not drawn yet: scroll there, and take it in the render that draws it.
  useEffect(() => {
    if (wanted.current < 0) return;
    const row = body.current?.querySelector<HTMLElement>(`tr[data-at="${wanted.current}"]`);
    if (!row) {
      virtualizer.scrollToIndex(wanted.current, { align: "center" });
      return;
    }
    wanted.current = -1;
    if (row.contains(document.activeElement)) return;
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
  });

  const items = virtual ? virtualizer.getVirtualItems() : rows.map((_, index) => ({ index, start: 0, end: 0 }));
  const before = virtual && items[0] ? items[0].start - margin : 0;
  const after = virtual ? virtualizer.getTotalSize() - ((items.at(-1)?.end ?? 0) - margin) : 0;

  return (
    <tbody ref={body}>
      {before > 0 ? <Gap height={before} /> : null}
      {items.map(({ index }) => {
        const row = rows[index];
        return row === undefined ? null : <BodyRow key={keyOf(row)} {...props} row={row} index={index} height={rowHeight} />;
      })}
      {after > 0 ? <Gap height={after} /> : null}
    </tbody>
  );
}

const Gap = ({ height }: { height: number }) => (
  <tr>
    <td style={{ height, padding: 0 }} />
  </tr>
);

interface BodyRowProps<R> extends TableBodyProps<R> {
  row: R;
  index: number;
  height: number;
}

function BodyRow<R>({ row, index, height, columns, keyOf, onOpen, openKey, selection, at, onCursor, onToggle }: BodyRowProps<R>) {
  const t = useTranslations("ui");
  const key = keyOf(row);
  const selected = selection?.keys.has(key) ?? false;
  return (
    <tr
      data-at={index}
      aria-rowindex={index + 2}
      aria-selected={selection ? selected : undefined}
      tabIndex={index === Math.max(0, at) ? 0 : -1}
      onFocus={(event) => {
        if (event.target === event.currentTarget) onCursor(key);
      }}
      onClick={(event) => {
        if (!isOwnControl(event.target) && window.getSelection()?.isCollapsed !== false) onOpen?.(row);
      }}
      className={cn(
        "group scroll-mt-8 outline-offset-[-2px] hover:bg-hover",
        onOpen && "cursor-pointer",
        (selected || openKey === key) && "bg-selected hover:bg-selected",
      )}
    >
      {selection ? (
        <td className="border-b pl-3" style={{ height }}>
          <Checkbox name={`${t("selectRow")}: ${selection.nameOf(row)}`} checked={selected} onChecked={() => onToggle(key)} />
        </td>
      ) : null}
      {columns.map((column) => (
        <td
          key={column.key}
          style={{ height }}
          className={cn(
            "truncate border-b px-3",
            column.align === "end" && "text-right tabular-nums",
            column.from && COLUMN_FROM[column.from],
          )}
        >
          {column.cell(row)}
        </td>
      ))}
    </tr>
  );
}
