"use client";
import { useTranslations } from "next-intl";
import { EmptyState } from "@/app/_ui/empty-state";
import { SkeletonRows } from "@/app/_ui/skeleton";
import type { NodeView } from "../../views";
import { EventList } from "../event-list";
import { useRun } from "../run-context";

export function HistoryTab({ node }: { node: NodeView }) {
  const t = useTranslations("run.history");
  const { events } = useRun();
  const label = t("label", { node: node.key });
  const own = events.events.filter((event) => event.nodeKey === node.key);
  if (events.loading) return <SkeletonRows rows={4} label={label} />;
  if (own.length === 0) return <EmptyState compact title={t("none")} />;
  return <EventList events={own} label={label} className="pb-4" />;
}
