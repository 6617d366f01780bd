"use client";
import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { Link } from "@/app/_ui/link";
import { IncidentStateMark } from "./incident-state";

/** The way from an alert to the incident that it is part of; nothing where it is of none. */
export function AlertIncident({ alertId }: { alertId: string }) {
  const t = useTranslations("incidents");
  const trpc = useTRPC();
  const incident = useQuery(trpc.incidents.ofAlert.queryOptions({ alertId })).data;
  if (!incident) return null;
  return (
    <p className="flex items-center gap-2 text-table">
      <Link prefetch={false} href={`/incidents/${incident.id}`}>{`${t("ofAlert")} #${incident.no}`}</Link>
      <IncidentStateMark state={incident.state} />
    </p>
  );
}
