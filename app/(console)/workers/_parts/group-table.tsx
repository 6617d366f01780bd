"use client";
import { useTranslations } from "next-intl";
import { CrossedSquare, DottedCircle, Tick } from "@/app/_status/glyphs";
import { Duration } from "@/app/_ui/duration";
import { Table } from "@/app/_ui/table";
import type { Column } from "@/app/_ui/table-column";
import type { GroupView } from "./views";

/** Each group with what waits in it; one with work and without a worker stands first. */
export function GroupTable({ groups }: { groups: readonly GroupView[] }) {
  const t = useTranslations("workers.groups");
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
      width: "6.5rem",
      align: "end",
      cell: (row) => (
        <span className={row.liveWorkers === 0 ? "font-medium text-state-failed" : undefined}>{t("live", { n: row.liveWorkers })}</span>
      ),
    },
    { key: "slots", head: t("slots"), width: "6rem", align: "end", from: "sm", cell: (row) => row.slots },
    {
      key: "queued",
      head: t("queued"),
      width: "6rem",
      align: "end",
      cell: (row) => (row.queued === 0 ? <span className="text-ink-3">{"0"}</span> : row.queued),
    },
    { key: "oldest", head: t("oldest"), width: "8rem", align: "end", from: "sm", cell: (row) => <Duration since={row.oldestReadyAt} /> },
  ];
  const rows = [...groups].sort((a, b) => Number(stuck(b)) - Number(stuck(a)) || a.name.localeCompare(b.name));
  return <Table label={t("title")} columns={columns} rows={rows} keyOf={(row) => row.name} />;
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
