"use client";
import { useTranslations } from "next-intl";
import { Tick } from "@/app/_status/glyphs";
import type { Platform } from "./views";

/** All well is one quiet sentence. */
export function WellLine({ platform }: { platform: Platform }) {
  const t = useTranslations("home.well");
  const workers = platform.workers.filter(({ alive }) => alive).length;
  const queued = platform.queue.reduce((sum, group) => sum + group.queued, 0);
  return (
    <p className="flex items-start gap-3 border-line-strong border-t py-6">
      <span className="mt-0.5 text-state-success">
        <Tick size={20} />
      </span>
      <span>
        <span className="block font-semibold text-title">{t("all")}</span>
        <span className="block text-body text-ink-2">{t("detail", { workers, queued })}</span>
      </span>
    </p>
  );
}
