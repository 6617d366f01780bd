"use client";
import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { Link } from "@/app/_ui/link";
import { Panel } from "@/app/_ui/panel";
import { Time } from "@/app/_ui/time";
import { QueryState } from "../_query/query-state";
import { IncidentStateMark } from "./incident-state";

const MOST = 5;

/** The incidents of a code, what goes on first. */
export function IncidentsOfCode({ projectId, code }: { projectId: string; code: string }) {
  const t = useTranslations("incidents.ofCode");
  const trpc = useTRPC();
  const found = useQuery(trpc.incidents.list.queryOptions({ projectId, code, limit: MOST }));
  return (
    <Panel
      title={t("title")}
      actions={
        found.data && found.data.items.length > 0 ? (
          <Link className="text-meta" href={`/incidents?tab=all&code=${code}`}>
            {t("all")}
          </Link>
        ) : null
      }
    >
      <QueryState query={found}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="text-ink-3 text-table">{t("none")}</p>
          ) : (
            <ul className="flex flex-col text-table">
              {items.map((incident) => (
                <li key={incident.id} className="flex items-center gap-2 border-b py-1.5 last:border-b-0">
                  <Link prefetch={false} href={`/incidents/${incident.id}`} className="min-w-0 truncate">
                    {`#${incident.no} ${incident.pipeline?.title ?? ""}`}
                  </Link>
                  <IncidentStateMark state={incident.state} />
                  <Time relative at={incident.openedAt} className="ml-auto shrink-0 text-ink-3 text-meta" />
                </li>
              ))}
            </ul>
          )
        }
      </QueryState>
    </Panel>
  );
}
