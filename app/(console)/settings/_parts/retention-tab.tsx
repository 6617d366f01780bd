"use client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useFormatter, useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { Field } from "@/app/_ui/field";
import { FormDialog } from "@/app/_ui/form-dialog";
import { Input } from "@/app/_ui/input";
import { Table } from "@/app/_ui/table";
import type { Column } from "@/app/_ui/table-column";
import { Time } from "@/app/_ui/time";
import type { Outputs } from "../../_query/outputs";
import { QueryState } from "../../_query/query-state";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";
import { RetentionDialog } from "./retention-dialog";
import { TabTop } from "./tab-top";
import { useExpiredText } from "./use-expired-text";

type Retention = Outputs["retention"]["get"];
type Rule = Retention["rules"][number];

/** How long what is kept in the whole installation, what goes next, and what went. */
export function RetentionTab() {
  const t = useTranslations("settings.retention");
  const trpc = useTRPC();
  const found = useQuery(trpc.retention.get.queryOptions());
  const [changing, setChanging] = useState<Rule | null>(null);
  const [holding, setHolding] = useState(false);
  const columns = useColumns(setChanging);
  return (
    <QueryState query={found}>
      {(retention) => (
        <>
          <TabTop action={<Button onClick={() => setHolding(true)}>{retention.hold ? t("lift") : t("hold")}</Button>}>
            {retention.hold ? t("held", { by: retention.hold.by, reason: retention.hold.reason }) : t("lead")}
          </TabTop>
          <Table main className="pb-4 md:px-3" label={t("label")} columns={columns} rows={retention.rules} keyOf={(row) => row.noun} />
          <p className="px-4 pb-4 text-ink-2 text-table md:px-6">
            {t("forGood", { nouns: retention.kept.map(({ noun }) => t(`kept.${noun}`)).join(", ") })}
          </p>
          <Passes passes={retention.passes} />
          {changing ? <RetentionDialog rule={changing} onClose={() => setChanging(null)} /> : null}
          {holding ? <HoldDialog isHeld={retention.hold !== null} onClose={() => setHolding(false)} /> : null}
        </>
      )}
    </QueryState>
  );
}

function useColumns(onChange: (rule: Rule) => void): readonly Column<Rule>[] {
  const t = useTranslations("settings.retention");
  const format = useFormatter();
  const expired = useExpiredText();
  return [
    { key: "noun", head: t("what"), cell: (row) => <span className="font-medium">{t(`nouns.${row.noun}`)}</span> },
    {
      key: "days",
      head: t("keep"),
      width: "9rem",
      cell: (row) => (
        <span className="inline-flex items-center gap-2">
          {row.days === null ? t("always") : t("days", { n: row.days })}
          {row.revision > 0 ? <Badge>{t("set")}</Badge> : null}
        </span>
      ),
    },
    { key: "rows", head: t("rows"), width: "8rem", from: "md", align: "end", cell: (row) => format.number(row.rows) },
    {
      key: "size",
      head: t("size"),
      width: "7rem",
      from: "sm",
      align: "end",
      cell: (row) => t("mb", { n: format.number(row.bytes / 1e6, { maximumFractionDigits: 1 }) }),
    },
    { key: "next", head: t("next"), width: "16rem", from: "lg", cell: (row) => <span className="text-ink-2">{expired(row.next)}</span> },
    {
      key: "act",
      head: "",
      name: t("change"),
      width: "6rem",
      align: "end",
      cell: (row) => (
        <Button size="sm" aria-label={t("changeName", { noun: t(`nouns.${row.noun}`) })} onClick={() => onChange(row)}>
          {t("change")}
        </Button>
      ),
    },
  ];
}

function Passes({ passes }: { passes: Retention["passes"] }) {
  const t = useTranslations("settings.retention");
  return (
    <section className="px-4 pb-8 md:px-6">
      <h2 className="pb-2 font-medium">{t("passes")}</h2>
      {passes.length === 0 ? <p className="text-ink-3 text-table">{t("noPass")}</p> : null}
      <ol className="flex flex-col gap-1 text-table">
        {passes.map((pass) => {
          const removed = Object.entries(pass.done).flatMap(([noun, { rows, partitions, held }]) => [
            ...(rows > 0 ? [t("passRows", { noun, n: rows })] : []),
            ...partitions,
            ...(held ? [t("passHeld", { noun, why: held })] : []),
          ]);
          return (
            <li key={pass.id} className="flex flex-wrap gap-x-3">
              <Time at={pass.startedAt} className="text-ink-2" />
              <span>{pass.endedAt === null ? t("underWay") : removed.length === 0 ? t("nothing") : null}</span>
              <span className="min-w-0 break-words text-ink-2">{removed.join(" · ")}</span>
              {pass.error ? <span className="text-state-failed">{pass.error}</span> : null}
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function HoldDialog({ isHeld, onClose }: { isHeld: boolean; onClose: () => void }) {
  const t = useTranslations("settings.retention");
  const trpc = useTRPC();
  const refresh = useRefresh();
  const text = useFailureText();
  const [reason, setReason] = useState("");
  const hold = useMutation(
    trpc.retention.hold.mutationOptions({
      onSuccess: () => {
        refresh();
        onClose();
      },
    }),
  );
  return (
    <FormDialog
      title={isHeld ? t("lift") : t("hold")}
      lead={isHeld ? t("liftBody") : t("holdBody")}
      verb={isHeld ? t("lift") : t("hold")}
      busy={hold.isPending}
      disabled={reason.trim() === ""}
      error={hold.error ? text(hold.error) : null}
      onClose={onClose}
      onSubmit={() => hold.mutate({ hold: !isHeld, reason: reason.trim() })}
    >
      <Field label={t("reason")}>
        <Input maxLength={500} value={reason} onChange={(event) => setReason(event.target.value)} />
      </Field>
    </FormDialog>
  );
}
