"use client";
import { useTranslations } from "next-intl";
import { type ReactNode, useState } from "react";
import { Button } from "@/app/_ui/button";
import { ErrorState } from "@/app/_ui/error-state";
import { Link } from "@/app/_ui/link";
import { Table } from "@/app/_ui/table";
import type { Column } from "@/app/_ui/table-column";
import { Time, ZoneNote } from "@/app/_ui/time";
import { useFailureText } from "../_query/use-failure-text";
import { AuditDrawer, useSourceText } from "./audit-drawer";
import { objectHref } from "./object-href";
import type { useAudit } from "./use-audit";
import { useVerbText } from "./use-verb-text";
import type { AuditRow } from "./views";

interface AuditTableProps {
  audit: ReturnType<typeof useAudit>;
  empty: ReactNode;
  /** Where all rows are about one object, its column is left out. */
  ofOne?: boolean;
  onOnly?: Parameters<typeof AuditDrawer>[0]["onOnly"];
}

export function AuditTable({ audit, empty, ofOne, onOnly }: AuditTableProps) {
  const t = useTranslations("audit");
  const text = useFailureText();
  const columns = useAuditColumns(ofOne ?? false);
  const [open, setOpen] = useState<AuditRow | null>(null);
  const { rows, error, hasNextPage, isFetchingNextPage } = audit;
  if (error && !rows) {
    return (
      <div className="px-4 py-6 md:px-6">
        <ErrorState detail={text(error)} onRetry={() => void audit.refetch()} />
      </div>
    );
  }
  return (
    <>
      <Table
        main
        className="pb-6 md:px-3"
        label={t("title")}
        columns={columns}
        rows={rows}
        keyOf={(row) => row.id}
        onOpen={setOpen}
        openKey={open?.id}
        empty={empty}
        footer={
          <>
            {hasNextPage ? (
              <Button size="sm" busy={isFetchingNextPage} onClick={() => void audit.fetchNextPage()}>
                {t("more")}
              </Button>
            ) : null}
            <span>{hasNextPage ? t("shown", { n: rows?.length ?? 0 }) : t("end")}</span>
            {error ? <span className="text-state-failed">{text(error)}</span> : null}
          </>
        }
      />
      <AuditDrawer
        row={open}
        onClose={() => setOpen(null)}
        onOnly={
          onOnly &&
          ((only) => {
            setOpen(null);
            onOnly(only);
          })
        }
      />
    </>
  );
}

function useAuditColumns(ofOne: boolean): readonly Column<AuditRow>[] {
  const t = useTranslations("audit.columns");
  const verb = useVerbText();
  const source = useSourceText();
  const columns: Column<AuditRow>[] = [
    {
      key: "at",
      head: (
        <>
          {t("at")} <ZoneNote />
        </>
      ),
      width: "9rem",
      cell: (row) => <Time bare at={row.at} />,
    },
    { key: "actor", head: t("actor"), width: "11rem", from: "sm", cell: (row) => <span className="font-medium">{row.actor.label}</span> },
    { key: "verb", head: t("verb"), width: "12rem", from: "sm", cell: (row) => <span title={row.verb}>{verb(row.verb)}</span> },
    { key: "object", head: t("object"), cell: (row) => <ObjectCell row={row} verb={verb(row.verb)} /> },
    { key: "reason", head: t("reason"), from: "md", cell: (row) => row.reason ?? <span className="text-ink-3">{"–"}</span> },
    { key: "via", head: t("via"), width: "12rem", from: "lg", cell: (row) => <span className="text-ink-2">{source(row)}</span> },
  ];
  if (!ofOne) return columns;
  const own: Record<string, Partial<Column<AuditRow>>> = {
    actor: { from: undefined, width: "8rem" },
    verb: { from: undefined, width: undefined },
  };
  return columns.filter(({ key }) => key !== "object").map((column) => ({ ...column, ...own[column.key] }));
}

function ObjectCell({ row, verb }: { row: AuditRow; verb: string }) {
  const href = objectHref(row.object);
  return (
    <>
      <span className="text-ink-2 sm:hidden">
        {row.actor.label} {verb}{" "}
      </span>
      {href ? <Link href={href}>{row.object.label}</Link> : row.object.label}
    </>
  );
}
