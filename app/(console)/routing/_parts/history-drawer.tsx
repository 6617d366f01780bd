"use client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { Drawer } from "@/app/_ui/drawer";
import { Time } from "@/app/_ui/time";
import { QueryState } from "../../_query/query-state";
import { Rule } from "./rule-list";
import type { Table } from "./views";

const PAGE = 20;

/** Every table that has been live: its rules, who saved it, when and why. */
export function HistoryDrawer({ projectId, onClose }: { projectId: string; onClose: () => void }) {
  const t = useTranslations("routing.history");
  const trpc = useTRPC();
  const found = useInfiniteQuery(
    trpc.routing.versions.infiniteQueryOptions(
      { projectId, limit: PAGE },
      { getNextPageParam: ({ nextCursor }) => (nextCursor === null ? undefined : Number(nextCursor)) },
    ),
  );
  return (
    <Drawer
      open
      onOpen={(open) => {
        if (!open) onClose();
      }}
      title={t("title")}
    >
      <QueryState query={found}>
        {({ pages }) => (
          <ol className="flex flex-col gap-6">
            {pages
              .flatMap(({ items }) => items)
              .map((table) => (
                <Version key={table.version} table={table} />
              ))}
          </ol>
        )}
      </QueryState>
      {found.hasNextPage ? (
        <Button size="sm" className="mt-4" busy={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
          {t("more")}
        </Button>
      ) : null}
    </Drawer>
  );
}

function Version({ table }: { table: Table }) {
  const t = useTranslations("routing.history");
  return (
    <li>
      <h3 className="flex flex-wrap items-baseline gap-x-2 font-semibold text-table">
        <span>{table.version === 0 ? t("shipped") : t("version", { version: table.version })}</span>
        {table.savedAt ? (
          <span className="font-normal text-ink-3 text-meta">
            {table.savedBy} <Time at={table.savedAt} />
          </span>
        ) : null}
      </h3>
      {table.note === "" ? null : <p className="break-words text-ink-2 text-table">{table.note}</p>}
      <ol className="mt-2 flex flex-col gap-2 border-l pl-3">
        {table.rules.length === 0 ? <li className="text-ink-3 text-table">{t("none")}</li> : null}
        {table.rules.map((rule) => (
          <li key={rule.name}>
            <Rule rule={rule} />
          </li>
        ))}
      </ol>
    </li>
  );
}
