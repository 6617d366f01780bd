"use client";
import { Pencil } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { CrossedSquare, DottedCircle, Tick } from "@/app/_status/glyphs";
import { cn } from "@/app/_ui/class-names";
import { Duration } from "@/app/_ui/duration";
import { IconButton } from "@/app/_ui/icon-button";
import { Table } from "@/app/_ui/table";
import type { Column } from "@/app/_ui/table-column";
import { LimitDialog } from "./limit-dialog";
import type { GroupView } from "./views";

/** Each group with what waits in it; one with work and without a worker stands first. */
export function GroupTable({ groups, mayLimit }: { groups: readonly GroupView[]; mayLimit: boolean }) {
  const t = useTranslations("workers.groups");
  const [limiting, setLimiting] = useState<GroupView | null>(null);
  const stuck = (group: GroupView) => group.liveWorkers === 0 && group.queued > 0;
  const columns: readonly Column<GroupView>[] = [
    {
      key: "name",
      head: t("name"),
      cell: (row) => (
        <span className="flex items-center gap-2">
          <Mark group={row} />
          <span className="truncate font-medium font-mono">{row.name}</span>
        </span>
      ),
    },
    {
      key: "workers",
      head: t("workers"),
      width: "5.5rem",
      align: "end",
      cell: (row) => (
        <span className={row.liveWorkers === 0 ? "font-medium text-state-failed" : undefined}>{t("live", { n: row.liveWorkers })}</span>
      ),
    },
    { key: "slots", head: t("slots"), width: "6rem", align: "end", from: "sm", cell: (row) => row.slots },
    { key: "limit", head: t("limit"), width: "6.5rem", align: "end", from: "sm", cell: (row) => <Limit group={row} /> },
    {
      key: "queued",
      head: t("queued"),
      width: "5rem",
      align: "end",
      cell: (row) => (row.queued === 0 ? <span className="text-ink-3">{"0"}</span> : row.queued),
    },
    { key: "oldest", head: t("oldest"), width: "8rem", align: "end", from: "sm", cell: (row) => <Duration since={row.oldestReadyAt} /> },
  ];
  const acts: Column<GroupView> = {
    key: "acts",
    head: "",
    name: t("setLimit"),
    width: "3.5rem",
    align: "end",
    cell: (row) => (
      <IconButton
        size="sm"
        label={t("setLimitOf", { group: row.name })}
        icon={<Pencil size={13} aria-hidden="true" />}
        onClick={() => setLimiting(row)}
      />
    ),
  };
  const rows = [...groups].sort((a, b) => Number(stuck(b)) - Number(stuck(a)) || a.name.localeCompare(b.name));
  return (
    <>
      <Table label={t("title")} columns={mayLimit ? [...columns, acts] : columns} rows={rows} keyOf={(row) => row.name} />
      {limiting ? <LimitDialog group={limiting} onClose={() => setLimiting(null)} /> : null}
    </>
  );
}

/** How much of the group's limit runs; full with work waiting stands out. */
function Limit({ group: { limit, running, queued } }: { group: GroupView }) {
  const t = useTranslations("workers.groups");
  if (limit === null) return <span className="text-ink-3">{t("noLimit")}</span>;
  const isFull = running >= limit && queued > 0;
  return <span className={cn("tabular-nums", isFull && "font-medium text-state-queued")}>{t("limitOf", { running, limit })}</span>;
}

function Mark({ group }: { group: GroupView }) {
  const t = useTranslations("workers.groups");
  const kind = group.liveWorkers === 0 ? "stuck" : group.queued > 0 ? "waiting" : "well";
  const Glyph = { stuck: CrossedSquare, waiting: DottedCircle, well: Tick }[kind];
  const color = { stuck: "text-state-failed", waiting: "text-state-queued", well: "text-state-success" }[kind];
  return (
    <span role="img" aria-label={t(`mark.${kind}`)} title={t(`mark.${kind}`)} className={`inline-flex shrink-0 ${color}`}>
      <Glyph size={14} />
    </span>
  );
}
