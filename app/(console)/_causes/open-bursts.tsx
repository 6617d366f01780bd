"use client";
import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { Duration } from "@/app/_ui/duration";
import { Link } from "@/app/_ui/link";
import { Panel } from "@/app/_ui/panel";
import { BurstState } from "./burst-state";
import { burstHref } from "./views";

const MOST = 5;

/** Codes that come in a burst right now; nothing where none does. */
export function OpenBursts({ projectId, everyMs }: { projectId: string; everyMs: number }) {
  const t = useTranslations("causes");
  const trpc = useTRPC();
  const found = useQuery({ ...trpc.rootCauses.list.queryOptions({ projectId, open: true, limit: MOST }), refetchInterval: everyMs });
  const bursts = found.data?.items ?? [];
  if (bursts.length === 0) return null;
  return (
    <Panel className="mx-4 mb-5 md:mx-6" title={t("now.title")} note={t("now.note")}>
      <ul className="flex flex-col text-table">
        {bursts.map((burst) => (
          <li key={burst.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b py-1.5 last:border-b-0">
            <BurstState endedAt={burst.endedAt} />
            <Link prefetch={false} href={burstHref(burst)} className="min-w-0 break-all font-mono text-meta">
              {burst.code}
            </Link>
            <span className="ml-auto tabular-nums">{t("failures", { n: burst.total })}</span>
            <Duration since={burst.openedAt} className="text-ink-3 text-meta" />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
