"use client";
import { ArrowDown, ArrowUp } from "lucide-react";
import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { cn } from "./class-names";
import { COLUMN_FROM, type Column, type TableSort } from "./table-column";

interface TableHeadProps<R> {
  columns: readonly Column<R>[];
  sort?: TableSort;
  onSort?: (sort: TableSort) => void;
  selectAll: ReactNode;
}

export function TableHead<R>({ columns, sort, onSort, selectAll }: TableHeadProps<R>) {
  const t = useTranslations("ui");
  return (
    <thead>
      <tr>
        {selectAll ? <th className="sticky top-0 z-10 w-9 border-line-strong border-b bg-ground pl-3 text-left">{selectAll}</th> : null}
        {columns.map((column) => {
          const sorted = sort?.key === column.key;
          return (
            <th
              key={column.key}
              scope="col"
              style={{ width: column.width }}
              aria-sort={sorted ? (sort.down ? "descending" : "ascending") : undefined}
              className={cn(
                "sticky top-0 z-10 h-8 truncate border-line-strong border-b bg-ground px-3 text-left font-medium text-ink-3 text-meta",
                column.align === "end" && "text-right",
                column.from && COLUMN_FROM[column.from],
              )}
            >
              {column.sortable && onSort ? (
                <button
                  type="button"
                  title={typeof column.head === "string" ? t("sortBy", { column: column.head }) : undefined}
                  onClick={() => onSort({ key: column.key, down: sorted ? !sort.down : true })}
                  className={cn("inline-flex items-center gap-1 rounded-sm hover:text-ink", sorted && "text-ink")}
                >
                  {column.head}
                  {sorted ? sort.down ? <ArrowDown size={11} aria-hidden="true" /> : <ArrowUp size={11} aria-hidden="true" /> : null}
                </button>
              ) : column.head === "" || column.head === null ? (
                <span className="sr-only">{column.name}</span>
              ) : (
                column.head
              )}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}
