"use client";
import { useTranslations } from "next-intl";
import { Link } from "@/app/_ui/link";
import { Panel } from "@/app/_ui/panel";
import { Table } from "@/app/_ui/table";
import type { Column } from "@/app/_ui/table-column";
import type { CauseDetails } from "../../_causes/views";
import { dependencyHref } from "../../_dependencies/address";
import { MsPair, useRateText } from "../../_dependencies/health-cells";

type Host = CauseDetails["hosts"][number];

/** How the hosts behind a burst did during its first hour, and in the hour before. */
export function CauseHosts({ hosts }: { hosts: CauseDetails["hosts"] }) {
  const t = useTranslations("causes.hosts");
  const rate = useRateText();
  const columns: readonly Column<Host>[] = [
    {
      key: "host",
      head: t("host"),
      cell: ({ value }) => (
        <Link
          prefetch={false}
          href={dependencyHref({ kind: "host", name: value.toLowerCase() })}
          className="block truncate font-mono text-meta"
        >
          {value}
        </Link>
      ),
    },
    { key: "failed", head: t("failed"), width: "4.5rem", align: "end", cell: ({ count }) => <span className="tabular-nums">{count}</span> },
    {
      key: "errors",
      head: t("errors"),
      width: "7.5rem",
      align: "end",
      cell: ({ during, before }) => (
        <span className="whitespace-nowrap tabular-nums">
          {rate(during)}
          <span className="ml-2 text-ink-3 text-meta">{rate(before)}</span>
        </span>
      ),
    },
    {
      key: "p99",
      head: t("p99"),
      width: "8.5rem",
      align: "end",
      from: "sm",
      cell: ({ during, before }) => <MsPair now={during?.p99Ms} before={before?.p99Ms} />,
    },
  ];
  return (
    <Panel title={t("title")} note={t("note")}>
      {hosts.length === 0 ? (
        <p className="text-ink-3 text-table">{t("none")}</p>
      ) : (
        <Table label={t("title")} columns={columns} rows={hosts} keyOf={({ value }) => value} />
      )}
    </Panel>
  );
}
