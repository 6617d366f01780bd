"use client";
import { Plus, Trash2 } from "lucide-react";
import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { Button } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { IconButton } from "@/app/_ui/icon-button";
import { Panel } from "@/app/_ui/panel";
import { Table } from "@/app/_ui/table";
import type { Column } from "@/app/_ui/table-column";

export interface PolicyListPanelProps<Row extends { readonly id: string }> {
  title: string;
  note: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  nameOf: (row: Row) => string;
  empty: { title: string; body: string };
  add: string;
  may: boolean;
  busy: boolean;
  /** Of the last save; null while a dialog shows it. */
  error: string | null;
  onAdd: () => void;
  onKeep: (rows: Row[]) => void;
  /** The dialog, while it is open. */
  children: ReactNode;
}

/** A list of a policy: whoever may adds to it and takes out of it; each change is a save. */
export function PolicyListPanel<Row extends { readonly id: string }>(props: PolicyListPanelProps<Row>) {
  const { title, note, rows, columns, nameOf, empty, add, may, busy, error, onAdd, onKeep, children } = props;
  const t = useTranslations("alerts.rules");
  const act: Column<Row> = {
    key: "act",
    head: "",
    name: t("remove"),
    width: "3.5rem",
    align: "end",
    cell: (row) => (
      <IconButton
        size="sm"
        label={t("removeName", { name: nameOf(row) })}
        disabled={busy}
        icon={<Trash2 size={13} aria-hidden="true" />}
        onClick={() => onKeep(rows.filter(({ id }) => id !== row.id))}
      />
    ),
  };
  const adder = (
    <Button size="sm" onClick={onAdd}>
      <Plus size={13} aria-hidden="true" />
      {add}
    </Button>
  );
  return (
    <Panel title={title} note={note} actions={may ? adder : null}>
      {error ? <p className="py-2 text-state-failed text-table">{error}</p> : null}
      <Table
        label={title}
        columns={may ? [...columns, act] : columns}
        rows={rows}
        keyOf={({ id }) => id}
        empty={
          <EmptyState compact className="px-0 py-3 md:px-0" title={empty.title}>
            {empty.body}
          </EmptyState>
        }
      />
      {children}
    </Panel>
  );
}
