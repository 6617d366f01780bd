"use client";
import { skipToken, useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { cn } from "@/app/_ui/class-names";
import { useProject } from "./project";

/** Open alerts of P0 and P1 that people were told of; nothing where there is none. */
export function UrgentAlerts({ narrow }: { narrow: boolean }) {
  const t = useTranslations("frame");
  const trpc = useTRPC();
  const project = useProject();
  const { data } = useQuery(trpc.alerts.count.queryOptions(project ? { projectId: project.id } : skipToken));
  if (!data || data.urgent === 0) return null;
  return (
    <span
      title={t("urgentAlerts", { n: data.urgent })}
      className={cn("font-semibold text-meta text-state-failed tabular-nums", narrow && "absolute top-0.5 right-1 text-[10px] leading-3")}
    >
      <span aria-hidden="true">{data.urgent}</span>
      <span className="sr-only">{t("urgentAlerts", { n: data.urgent })}</span>
    </span>
  );
}
