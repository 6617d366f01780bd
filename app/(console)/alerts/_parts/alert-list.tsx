"use client";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { EmptyState } from "@/app/_ui/empty-state";
import { Link } from "@/app/_ui/link";
import { Table } from "@/app/_ui/table";
import { MoreButton } from "../../_query/more-button";
import { QueryState } from "../../_query/query-state";
import { useAddress } from "../../_query/use-address";
import { useAlertColumns } from "./alert-columns";
import { AlertDrawer } from "./alert-drawer";

type Show = "open" | "suppressed" | "all";

/** The alerts of one tab, newest first; one of them opens beside it. */
export function AlertList({ projectId, show }: { projectId: string; show: Show }) {
  const t = useTranslations("alerts");
  const trpc = useTRPC();
  const { read, write } = useAddress();
  const open = read("alert");
  const found = useInfiniteQuery({
    ...trpc.alerts.list.infiniteQueryOptions(
      { projectId, show, limit: 50 },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined },
    ),
    placeholderData: keepPreviousData,
  });
  const columns = useAlertColumns(show);
  return (
    <>
      <QueryState query={found}>
        {({ pages }) => (
          <Table
            main
            className="pb-6 md:px-3"
            label={t(`tabs.${show}`)}
            columns={columns}
            rows={pages.flatMap(({ items }) => items)}
            keyOf={(row) => row.id}
            openKey={open}
            onOpen={(row) => write({ alert: row.id })}
            empty={
              <EmptyState
                title={t(`empty.${show}.title`)}
                actions={show === "open" ? <Link href="/alerts?tab=channels">{t("empty.toChannels")}</Link> : null}
              >
                {t(`empty.${show}.body`)}
              </EmptyState>
            }
            footer={<MoreButton of={found} />}
          />
        )}
      </QueryState>
      {open === "" ? null : <AlertDrawer key={open} id={open} onClose={() => write({ alert: null })} />}
    </>
  );
}
