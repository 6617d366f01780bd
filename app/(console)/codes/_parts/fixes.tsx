"use client";
import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { Link } from "@/app/_ui/link";
import { Panel } from "@/app/_ui/panel";
import { Time } from "@/app/_ui/time";
import { QueryState } from "../../_query/query-state";

/** What fixed a code the last five times, from the reviews that speak of it (INC-3). */
export function Fixes({ projectId, code }: { projectId: string; code: string }) {
  const t = useTranslations("codes.card");
  const trpc = useTRPC();
  const found = useQuery(trpc.incidents.fixes.queryOptions({ projectId, code }));
  return (
    <Panel title={t("fixes")} note={t("fixesNote")}>
      <QueryState query={found}>
        {(fixes) =>
          fixes.length === 0 ? (
            <p className="text-ink-3 text-table">{t("noFixes")}</p>
          ) : (
            <ul className="flex flex-col text-table">
              {fixes.map((fix) => (
                <li key={fix.incidentId} className="border-b py-1.5 last:border-b-0">
                  <p className="break-words">{fix.fix}</p>
                  <p className="flex flex-wrap items-baseline gap-x-2 text-ink-3 text-meta">
                    <Link href={`/incidents/${fix.incidentId}?tab=review`}>{t("fixOf", { no: fix.no })}</Link>
                    {fix.rootCause ? <span>{t(`rootCause.${fix.rootCause}`)}</span> : null}
                    {fix.owner ? <span>{fix.owner}</span> : null}
                    {fix.closedAt ? <Time at={fix.closedAt} className="ml-auto" /> : null}
                  </p>
                </li>
              ))}
            </ul>
          )
        }
      </QueryState>
    </Panel>
  );
}
