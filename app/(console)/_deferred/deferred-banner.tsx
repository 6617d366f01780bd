"use client";
import { useQuery } from "@tanstack/react-query";
import { OctagonPause } from "lucide-react";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { Link } from "@/app/_ui/link";

const EVERY_MS = 10_000;

/** Tasks whose new work waits for a person since too much of it failed, a line each; of some valves alone where they are named. */
export function DeferredBanner({ projectId, only }: { projectId: string; only?: readonly number[] }) {
  const t = useTranslations("reviews.deferred");
  const trpc = useTRPC();
  const found = useQuery({
    ...trpc.reviews.deferred.queryOptions({ projectId }),
    refetchInterval: EVERY_MS,
    enabled: only === undefined || only.length > 0,
  });
  const shown = (found.data ?? []).filter(({ valve }) => only === undefined || only.includes(valve.no));
  return shown.map(({ valve, bound }) => (
    <div
      key={valve.no}
      role="status"
      className="tint flex min-h-8 items-center gap-2.5 border-t border-b px-4 py-1 text-state-failed text-table md:px-6"
    >
      <OctagonPause size={14} aria-hidden="true" className="shrink-0" />
      <span className="min-w-0 flex-1 text-ink">
        {t("banner", { task: valve.label, failed: bound.failed, ended: bound.failed + bound.succeeded, minutes: bound.windowMinutes })}
      </span>
      <Link href="/reviews" className="shrink-0 text-ink">
        {t("toReviews")}
      </Link>
    </div>
  ));
}
