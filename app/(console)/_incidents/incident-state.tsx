"use client";
import { BellRing, CheckCheck, CircleCheck, Eye } from "lucide-react";
import { useTranslations } from "next-intl";
import { Badge } from "@/app/_ui/badge";
import type { IncidentState } from "@/server/domain/incident/transitions";

const LOOKS = {
  open: { icon: BellRing, tone: "bad" },
  acknowledged: { icon: Eye, tone: "warn" },
  resolved: { icon: CircleCheck, tone: "good" },
  closed: { icon: CheckCheck, tone: "neutral" },
} as const;

/** Where an incident stands: by a mark, by its word and by colour. */
export function IncidentStateMark({ state }: { state: IncidentState }) {
  const t = useTranslations("incidents.state");
  const { icon: Icon, tone } = LOOKS[state];
  return (
    <Badge tone={tone} icon={<Icon size={12} aria-hidden="true" />}>
      {t(state)}
    </Badge>
  );
}
