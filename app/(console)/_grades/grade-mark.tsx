"use client";
import { Circle, CircleAlert, Info, type LucideIcon, OctagonAlert, TriangleAlert } from "lucide-react";
import { useTranslations } from "next-intl";
import { cn } from "@/app/_ui/class-names";
import type { Grade } from "@/server/domain/alert/grade";

/** Told apart by shape, by word and by colour. */
const LOOKS: Readonly<Record<Grade, { readonly icon: LucideIcon; readonly colour: string }>> = {
  P0: { icon: OctagonAlert, colour: "text-state-failed" },
  P1: { icon: TriangleAlert, colour: "text-state-paused" },
  P2: { icon: CircleAlert, colour: "text-state-review" },
  P3: { icon: Info, colour: "text-state-running" },
  P4: { icon: Circle, colour: "text-state-pending" },
};

export function GradeMark({ grade, className }: { grade: Grade; className?: string }) {
  const t = useTranslations("alerts.grade");
  const { icon: Icon, colour } = LOOKS[grade];
  return (
    <span className={cn("inline-flex min-w-0 items-center gap-1.5 whitespace-nowrap", className)}>
      <Icon size={14} strokeWidth={2.2} aria-hidden="true" className={cn("shrink-0", colour)} />
      <span className="font-medium tabular-nums">{grade}</span>
      <span className="truncate text-ink-2 max-sm:sr-only">{t(grade)}</span>
    </span>
  );
}
