"use client";
import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { Link } from "@/app/_ui/link";
import { BurstState } from "./burst-state";
import { isDuring } from "./in-time";
import { burstHref } from "./views";

interface BurstLinksProps {
  projectId: string;
  code: string;
  from: Date;
  /** Null where it still goes on. */
  until: Date | null;
}

const LOOKED_AT = 50;
const SHOWN = 3;

/** The root-cause cards of the bursts of a code in a stretch of time; nothing where there was none. */
export function BurstLinks({ projectId, code, from, until }: BurstLinksProps) {
  const t = useTranslations("causes");
  const trpc = useTRPC();
  const found = useQuery(trpc.rootCauses.list.queryOptions({ projectId, code, limit: LOOKED_AT }));
  const bursts = (found.data?.items ?? []).filter((burst) => isDuring(burst, from, until)).slice(0, SHOWN);
  if (bursts.length === 0) return null;
  return (
    <ul className="flex flex-col gap-1 text-table">
      {bursts.map((burst) => (
        <li key={burst.id} className="flex items-center gap-2">
          <Link prefetch={false} href={burstHref(burst)}>
            {t("cardOf", { n: burst.total })}
          </Link>
          <BurstState endedAt={burst.endedAt} />
        </li>
      ))}
    </ul>
  );
}
