"use client";
import { PanelLeftClose, PanelLeftOpen } from "lucide-react";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { useTranslations } from "next-intl";
import { Mark, Wordmark } from "@/app/_ui/brand";
import { cn } from "@/app/_ui/class-names";
import { IconButton } from "@/app/_ui/icon-button";
import { Tooltip } from "@/app/_ui/tooltip";
import type { FrameData } from "./frame-data";
import { isAt, PLACES, type Place } from "./places";
import { UrgentAlerts } from "./urgent-alerts";

interface RailProps {
  narrow: boolean;
  onNarrow: (narrow: boolean) => void;
  counts: FrameData["counts"];
}

export function Rail({ narrow, onNarrow, counts }: RailProps) {
  const t = useTranslations("frame");
  return (
    <div className={cn("sticky top-0 flex h-dvh shrink-0 flex-col border-r bg-ground max-md:hidden", narrow ? "w-14" : "w-(--rail)")}>
      <Link
        href="/"
        aria-label={t("places.home")}
        className={cn("flex h-(--bar) shrink-0 items-center gap-2.5 outline-offset-[-4px]", narrow ? "justify-center" : "px-4")}
      >
        <Mark size={20} className="shrink-0" />
        {narrow ? null : <Wordmark className="font-semibold text-body tracking-[-0.01em]" />}
      </Link>
      <nav aria-label={t("places.label")} className="flex min-h-0 flex-1 flex-col gap-px overflow-y-auto px-2 pt-2">
        {PLACES.map((place) => (
          <RailLink key={place.key} place={place} narrow={narrow} count={counts?.[place.key as keyof NonNullable<typeof counts>]} />
        ))}
      </nav>
      <div className={cn("flex h-12 shrink-0 items-center", narrow ? "justify-center" : "px-3")}>
        <IconButton
          side="right"
          label={t(narrow ? "rail.expand" : "rail.collapse")}
          icon={narrow ? <PanelLeftOpen size={15} aria-hidden="true" /> : <PanelLeftClose size={15} aria-hidden="true" />}
          onClick={() => onNarrow(!narrow)}
        />
      </div>
    </div>
  );
}

function RailLink({ place, narrow, count }: { place: Place; narrow: boolean; count: number | undefined }) {
  const t = useTranslations("frame.places");
  const here = isAt(place, usePathname());
  const Icon = place.icon;
  return (
    <>
      {place.apart ? <hr className="mx-2 my-2 border-line" /> : null}
      <Tooltip side="right" label={t(place.key)} shortcut={`g ${place.go}`}>
        <Link
          href={place.href}
          aria-current={here ? "page" : undefined}
          className={cn(
            "relative flex h-8 shrink-0 items-center gap-2.5 rounded-md text-ink-2 text-table outline-offset-[-2px] hover:bg-hover hover:text-ink",
            narrow ? "justify-center" : "px-2",
            here &&
              "bg-selected font-medium text-ink before:absolute before:inset-y-1.5 before:-left-2 before:w-[3px] before:rounded-r-sm before:bg-ink hover:bg-selected",
          )}
        >
          <Icon size={16} strokeWidth={1.75} aria-hidden="true" className="shrink-0" />
          {narrow ? <span className="sr-only">{t(place.key)}</span> : <span className="min-w-0 flex-1 truncate">{t(place.key)}</span>}
          {place.key === "alerts" ? <UrgentAlerts narrow={narrow} /> : null}
          {count ? (
            <span className={cn("text-meta tabular-nums", narrow ? "absolute top-0.5 right-1 text-[10px] leading-3" : "text-ink-3")}>
              {count}
            </span>
          ) : null}
        </Link>
      </Tooltip>
    </>
  );
}
