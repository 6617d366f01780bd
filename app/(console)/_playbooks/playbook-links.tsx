"use client";
import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { Link } from "@/app/_ui/link";
import { Panel } from "@/app/_ui/panel";
import { QueryState } from "../_query/query-state";
import { changedQuery } from "../_query/use-address";

interface PlaybookLinksProps {
  projectId: string;
  code: string;
  /** What the checks shall look at; where it is left out, they take the newest failure of the code. */
  runId?: string | null;
  nodeKey?: string | null;
}

/** The playbooks for a code, each opened with what they shall look at (INC-4). */
export function PlaybookLinks({ projectId, code, runId = null, nodeKey = null }: PlaybookLinksProps) {
  const t = useTranslations("playbooks");
  const trpc = useTRPC();
  const found = useQuery(trpc.playbooks.list.queryOptions({ projectId, code }));
  const about = changedQuery("", { code, run: runId, node: runId === null ? null : nodeKey });
  return (
    <Panel title={t("links.title")}>
      <QueryState query={found}>
        {({ own, shipped }) => (
          <ul className="flex flex-col text-table">
            {own.map((playbook) => (
              <li key={playbook.id} className="border-b py-1.5 last:border-b-0">
                <Link prefetch={false} href={`/playbooks/${playbook.id}${about}`} className="break-words">
                  {playbook.title}
                </Link>
              </li>
            ))}
            {shipped.map(({ key }) => (
              <li key={key} className="flex items-baseline gap-2 border-b py-1.5 last:border-b-0">
                <Link prefetch={false} href={`/playbooks/${key}${about}`} className="min-w-0 break-words">
                  {t(`shipped.${key}.title`)}
                </Link>
                <Badge className="ml-auto shrink-0">{t("shippedBadge")}</Badge>
              </li>
            ))}
          </ul>
        )}
      </QueryState>
    </Panel>
  );
}
