"use client";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { failureOf } from "@/app/_trpc/failure";
import { Button } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { ErrorState } from "@/app/_ui/error-state";
import { NoPermissionState } from "@/app/_ui/no-permission-state";
import { PageHeader } from "@/app/_ui/page-header";
import { Table } from "@/app/_ui/table";
import { roleAllows } from "@/server/domain/access/roles";
import { useProject } from "../../_frame/project";
import { PageTabs, useTab } from "../../_query/page-tabs";
import { StaleMark } from "../../_query/stale-mark";
import { useAddress } from "../../_query/use-address";
import { useFailureText } from "../../_query/use-failure-text";
import { CloseDialog } from "./close-dialog";
import { useValves } from "./use-valves";
import { useValveColumns } from "./valve-columns";
import { ValveDrawer } from "./valve-drawer";

/** What is stopped everywhere at once: by whom, why, since when, how much waits behind it, and its release (RUN-12). */
export function ValvesScreen({ projectId }: { projectId: string }) {
  const t = useTranslations("valves");
  const show = useTab(["open", "ended"]);
  const { read, write } = useAddress();
  const open = read("valve");
  const valves = useValves(projectId, show);
  const [closing, setClosing] = useState(false);
  const role = useProject()?.role ?? null;
  const mayManage = role !== null && roleAllows(role, "valve.manage");
  const shown = valves.rows?.find(({ no }) => String(no) === open);
  return (
    <>
      <PageHeader
        title={t("title")}
        meta={
          <>
            <span>{t("lead")}</span>
            <StaleMark />
          </>
        }
        actions={mayManage ? <Button onClick={() => setClosing(true)}>{t("close.verb")}</Button> : undefined}
        tabs={
          <PageTabs
            label={t("title")}
            value={show}
            tabs={[
              { value: "open", label: t("tabs.open") },
              { value: "ended", label: t("tabs.ended") },
            ]}
          />
        }
      />
      <ValveTable valves={valves} show={show} open={open} onOpen={(no) => write({ valve: String(no) })} />
      {shown ? (
        <ValveDrawer key={shown.no} projectId={projectId} valve={shown} mayManage={mayManage} onClose={() => write({ valve: null })} />
      ) : null}
      {closing ? <CloseDialog projectId={projectId} onClose={() => setClosing(false)} /> : null}
    </>
  );
}

interface ValveTableProps {
  valves: ReturnType<typeof useValves>;
  show: "open" | "ended";
  open: string;
  onOpen: (no: number) => void;
}

function ValveTable({ valves, show, open, onOpen }: ValveTableProps) {
  const t = useTranslations("valves");
  const columns = useValveColumns(show);
  const text = useFailureText();
  const role = useProject()?.role ?? null;
  if (valves.error && !valves.rows) {
    if (failureOf(valves.error)?.code === "forbidden") return <NoPermissionState need="viewer" have={role} />;
    return (
      <div className="px-4 py-6 md:px-6">
        <ErrorState detail={text(valves.error)} onRetry={() => void valves.refetch()} />
      </div>
    );
  }
  return (
    <Table
      main
      className="pb-6 md:px-3"
      label={t("title")}
      columns={columns}
      rows={valves.rows}
      keyOf={(row) => String(row.no)}
      openKey={open}
      onOpen={(row) => onOpen(row.no)}
      empty={<EmptyState title={t(`empty.${show}.title`)}>{t(`empty.${show}.body`)}</EmptyState>}
      footer={
        valves.hasNextPage ? (
          <Button size="sm" busy={valves.isFetchingNextPage} onClick={() => void valves.fetchNextPage()}>
            {t("more")}
          </Button>
        ) : (
          <span>{t("all")}</span>
        )
      }
    />
  );
}
