"use client";
import { useTranslations } from "next-intl";
import { failureOf } from "@/app/_trpc/failure";
import { Button } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { ErrorState } from "@/app/_ui/error-state";
import { NoPermissionState } from "@/app/_ui/no-permission-state";
import { PageHeader } from "@/app/_ui/page-header";
import { Table } from "@/app/_ui/table";
import { useProject } from "../../_frame/project";
import { PageTabs, useTab } from "../../_query/page-tabs";
import { StaleMark } from "../../_query/stale-mark";
import { useAddress } from "../../_query/use-address";
import { useFailureText } from "../../_query/use-failure-text";
import { useLetterColumns } from "./letter-columns";
import { LetterDrawer } from "./letter-drawer";
import { useLetters } from "./use-letters";

/** What went round too often and waits for a person: with its cause, and what can be done (RTY-3). */
export function DeadLettersScreen({ projectId }: { projectId: string }) {
  const t = useTranslations("deadLetters");
  const show = useTab(["open", "closed"]);
  const { read, write } = useAddress();
  const open = read("letter");
  const letters = useLetters(projectId, show);
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
        tabs={
          <PageTabs
            label={t("title")}
            value={show}
            tabs={[
              { value: "open", label: t("tabs.open") },
              { value: "closed", label: t("tabs.closed") },
            ]}
          />
        }
      />
      <LetterTable letters={letters} show={show} open={open} onOpen={(id) => write({ letter: id })} />
      {open === "" ? null : <LetterDrawer key={open} id={open} onClose={() => write({ letter: null })} />}
    </>
  );
}

interface LetterTableProps {
  letters: ReturnType<typeof useLetters>;
  show: "open" | "closed";
  open: string;
  onOpen: (id: string) => void;
}

function LetterTable({ letters, show, open, onOpen }: LetterTableProps) {
  const t = useTranslations("deadLetters");
  const columns = useLetterColumns(show);
  const text = useFailureText();
  const role = useProject()?.role ?? null;
  if (letters.error && !letters.rows) {
    if (failureOf(letters.error)?.code === "forbidden") return <NoPermissionState need="viewer" have={role} />;
    return (
      <div className="px-4 py-6 md:px-6">
        <ErrorState detail={text(letters.error)} onRetry={() => void letters.refetch()} />
      </div>
    );
  }
  return (
    <Table
      main
      className="pb-6 md:px-3"
      label={t("title")}
      columns={columns}
      rows={letters.rows}
      keyOf={(row) => row.id}
      openKey={open}
      onOpen={(row) => onOpen(row.id)}
      empty={<EmptyState title={t(`empty.${show}.title`)}>{t(`empty.${show}.body`)}</EmptyState>}
      footer={
        <>
          {letters.hasNextPage ? (
            <Button size="sm" busy={letters.isFetchingNextPage} onClick={() => void letters.fetchNextPage()}>
              {t("more")}
            </Button>
          ) : (
            <span>{t("end.all")}</span>
          )}
          {letters.isFetchNextPageError ? <span className="text-state-failed">{text(letters.error)}</span> : null}
        </>
      }
    />
  );
}
