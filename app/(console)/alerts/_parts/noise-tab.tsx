"use client";
import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { EmptyState } from "@/app/_ui/empty-state";
import { Table } from "@/app/_ui/table";
import type { Column } from "@/app/_ui/table-column";
import { QueryState } from "../../_query/query-state";
import { TabTop } from "./tab-top";
import { useRuleName } from "./use-rule-name";
import type { NoiseLine } from "./views";

const DAYS = 30;

/** What each rule brought, and how much of it was worth somebody's attention (ALT-8). */
export function NoiseTab({ projectId }: { projectId: string }) {
  const t = useTranslations("alerts.noise");
  const trpc = useTRPC();
  const nameOf = useRuleName();
  const found = useQuery(trpc.alerts.noise.queryOptions({ projectId, days: DAYS }));
  const number = (
    key: "occurrences" | "suppressed" | "sent" | "acknowledged" | "actedOn" | "byItself",
    from?: "sm" | "md" | "lg",
  ): Column<NoiseLine> => ({
    key,
    head: t(key),
    width: "8rem",
    align: "end",
    ...(from ? { from } : {}),
    cell: (row) => row[key],
  });
  const columns: readonly Column<NoiseLine>[] = [
    {
      key: "rule",
      head: t("rule"),
      cell: (row) => (
        <span className="font-medium">
          {row.ruleId === null ? t("unmatched") : nameOf({ id: row.ruleId, name: row.name ?? row.ruleId })}
        </span>
      ),
    },
    number("occurrences", "md"),
    number("suppressed", "sm"),
    number("sent"),
    number("acknowledged", "lg"),
    number("actedOn", "lg"),
    number("byItself", "lg"),
    {
      key: "precision",
      head: t("precision"),
      width: "min(7rem, 26vw)",
      align: "end",
      cell: (row) =>
        row.precision === null ? <span className="text-ink-3">{"–"}</span> : t("percent", { n: Math.round(row.precision * 100) }),
    },
  ];
  return (
    <>
      <TabTop>{t("lead", { days: DAYS })}</TabTop>
      <QueryState query={found}>
        {(rows) => (
          <Table
            main
            className="pb-6 md:px-3"
            label={t("label")}
            columns={columns}
            rows={rows}
            keyOf={(row) => row.ruleId ?? ""}
            empty={
              <EmptyState compact title={t("empty")}>
                {t("emptyBody")}
              </EmptyState>
            }
          />
        )}
      </QueryState>
    </>
  );
}
