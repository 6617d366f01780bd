"use client";
import { Plus } from "lucide-react";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { Link } from "@/app/_ui/link";
import { Mono } from "@/app/_ui/mono";
import { PageHeader } from "@/app/_ui/page-header";
import { Table } from "@/app/_ui/table";
import type { Column } from "@/app/_ui/table-column";
import { type Role, roleAllows } from "@/server/domain/access/roles";
import { QueryState } from "../../_query/query-state";
import { StaleMark } from "../../_query/stale-mark";
import { PlaybookDialog } from "./playbook-dialog";
import { usePlaybooks } from "./use-playbooks";
import type { Playbook } from "./views";

/** What a project knows to do about a symptom, and what comes with the product (INC-4). */
export function PlaybooksScreen({ projectId, role }: { projectId: string; role: Role }) {
  const t = useTranslations("playbooks");
  const router = useRouter();
  const found = usePlaybooks(projectId);
  const columns = useColumns();
  const [isWriting, setIsWriting] = useState(false);
  return (
    <>
      <PageHeader
        trail={<Link href="/incidents">{t("incidents")}</Link>}
        title={t("title")}
        meta={
          <>
            <span>{t("lead")}</span>
            <StaleMark />
          </>
        }
        actions={
          roleAllows(role, "playbook.manage") ? (
            <Button look="primary" onClick={() => setIsWriting(true)}>
              <Plus size={13} aria-hidden="true" />
              {t("add")}
            </Button>
          ) : null
        }
      />
      <QueryState query={found}>
        {(rows) => (
          <Table
            main
            className="pb-6 md:px-3"
            label={t("title")}
            columns={columns}
            rows={rows}
            keyOf={(row) => row.key}
            onOpen={(row) => router.push(`/playbooks/${row.key}`)}
          />
        )}
      </QueryState>
      {isWriting ? <PlaybookDialog projectId={projectId} playbook={null} onClose={() => setIsWriting(false)} /> : null}
    </>
  );
}

function useColumns(): readonly Column<Playbook>[] {
  const t = useTranslations("playbooks");
  return [
    {
      key: "title",
      head: t("columns.title"),
      width: "min(20rem, 70vw)",
      cell: (row) => (
        <span className="flex min-w-0 items-center gap-2">
          <Link prefetch={false} href={`/playbooks/${row.key}`} className="min-w-0 truncate font-medium">
            {row.title}
          </Link>
          {row.own ? null : <Badge>{t("shippedBadge")}</Badge>}
        </span>
      ),
    },
    {
      key: "symptom",
      head: t("columns.symptom"),
      from: "md",
      cell: (row) => (
        <span className="text-ink-2" title={row.symptom}>
          {row.symptom}
        </span>
      ),
    },
    {
      key: "codes",
      head: t("columns.codes"),
      width: "16rem",
      from: "lg",
      cell: (row) => {
        const every = row.patterns.includes("*");
        if (every || row.patterns.length === 0) return <span className="text-ink-3">{t(every ? "everyCode" : "noCode")}</span>;
        return <Mono>{row.patterns.join(" ")}</Mono>;
      },
    },
    { key: "checks", head: t("columns.checks"), width: "5rem", align: "end", cell: (row) => row.checks.length },
  ];
}
