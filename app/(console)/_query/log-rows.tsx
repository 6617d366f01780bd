"use client";
import type { ComponentProps, ReactNode } from "react";
import { EmptyState } from "@/app/_ui/empty-state";
import { MoreButton } from "./more-button";

interface LogRowsProps<Row> {
  pages: readonly { readonly items: readonly Row[] }[];
  of: ComponentProps<typeof MoreButton>["of"];
  empty: { title: string; body: string };
  children: (row: Row) => ReactNode;
}

/** What was sent, the newest first, page by page. */
export function LogRows<Row>({ pages, of, empty, children }: LogRowsProps<Row>) {
  const rows = pages.flatMap(({ items }) => items);
  if (rows.length === 0) {
    return (
      <EmptyState compact title={empty.title}>
        {empty.body}
      </EmptyState>
    );
  }
  return (
    <>
      <ol className="flex flex-col text-table">{rows.map(children)}</ol>
      <p className="flex items-center gap-2 py-3 text-ink-3 text-meta">
        <MoreButton of={of} />
      </p>
    </>
  );
}
