"use client";
import { useTranslations } from "next-intl";
import { failureOf } from "@/app/_trpc/failure";
import { Button } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { ErrorState } from "@/app/_ui/error-state";
import { SkeletonRows } from "@/app/_ui/skeleton";
import { EventList } from "../event-list";
import type { RunEvents } from "../use-run-events";

interface TimelineFaceProps {
  events: RunEvents;
  selected: string | null;
  only: boolean;
  onSelect: (key: string) => void;
}

export function TimelineFace({ events: { events, moreExist, loading, error, readOn }, selected, only, onSelect }: TimelineFaceProps) {
  const t = useTranslations("run.timeline");
  const words = useTranslations("run");
  if (loading) return <SkeletonRows label={t("label")} />;
  if (error && events.length === 0) {
    return <ErrorState className="m-4" detail={failureOf(error)?.message ?? words("unreachable")} onRetry={readOn} />;
  }
  const shown = only && selected !== null ? events.filter((event) => event.nodeKey === selected) : events;
  return (
    <div className="min-h-0 flex-1 overflow-y-auto pb-4">
      {shown.length === 0 ? <EmptyState compact title={t("none")} /> : null}
      <EventList events={shown} label={t("label")} chosen={only ? undefined : selected} onNode={onSelect} className="md:pl-2" />
      {moreExist ? (
        <Button size="sm" onClick={readOn} className="mx-4 mt-3 md:mx-6">
          {t("more")}
        </Button>
      ) : null}
    </div>
  );
}
