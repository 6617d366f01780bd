"use client";
import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { Duration } from "@/app/_ui/duration";
import { Link } from "@/app/_ui/link";
import { Panel } from "@/app/_ui/panel";
import { Time } from "@/app/_ui/time";
import { QueryState } from "../_query/query-state";
import { BurstState } from "./burst-state";
import { burstHref } from "./views";

const MOST = 5;

/** The newest bursts of a code, each with the way to its root-cause card. */
export function BurstsOfCode({ projectId, code }: { projectId: string; code: string }) {
  const t = useTranslations("causes");
  const trpc = useTRPC();
  const found = useQuery(trpc.rootCauses.list.queryOptions({ projectId, code, limit: MOST }));
  return (
    <Panel title={t("ofCode.title")} note={t("ofCode.note")}>
      <QueryState query={found}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="text-ink-3 text-table">{t("ofCode.none")}</p>
          ) : (
            <ul className="flex flex-col text-table">
              {items.map((burst) => (
                <li key={burst.id} className="flex flex-wrap items-center gap-x-2 border-b py-1.5 last:border-b-0">
                  <Link prefetch={false} href={burstHref(burst)}>
                    {t("failures", { n: burst.total })}
                  </Link>
                  <BurstState endedAt={burst.endedAt} />
                  <Duration since={burst.openedAt} until={burst.endedAt} className="text-ink-3 text-meta" />
                  <Time at={burst.openedAt} className="ml-auto shrink-0 text-ink-3 text-meta" />
                </li>
              ))}
            </ul>
          )
        }
      </QueryState>
    </Panel>
  );
}
