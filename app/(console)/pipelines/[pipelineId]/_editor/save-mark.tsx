"use client";
import { CloudAlert, CloudCheck, CloudUpload } from "lucide-react";
import { useTranslations } from "next-intl";
import { useNow } from "@/app/_ui/clock";
import { relativeTo } from "@/app/_ui/instant";
import type { SaveState } from "./model/autosave";

interface SaveMarkProps {
  readonly saves: SaveState;
  readonly dirty: boolean;
  readonly differs: boolean;
}

/** Whether the draft is safe, and whether it is what runs. */
export function SaveMark({ saves, dirty, differs }: SaveMarkProps) {
  const t = useTranslations("editor.save");
  const ui = useTranslations("ui");
  const nowMs = useNow(1000);
  const live = differs ? t("differs") : t("same");
  const refused = dirty && saves.sending === null ? saves.refused : null;
  if (saves.failures > 0 || refused !== null) {
    const text = refused === null ? t("failed") : t("refused", { why: refused.message });
    return (
      <span role="status" className="flex min-w-0 items-center gap-1.5 text-meta text-state-failed" title={text}>
        <CloudAlert size={14} aria-hidden="true" className="shrink-0" />
        <span className="truncate">{text}</span>
      </span>
    );
  }
  if (dirty || saves.sending !== null) {
    return (
      <span role="status" className="flex items-center gap-1.5 text-ink-3 text-meta">
        <CloudUpload size={14} aria-hidden="true" className="shrink-0" />
        {t("saving")}
      </span>
    );
  }
  const away = saves.savedAt === null ? null : relativeTo(Math.min(saves.savedAt, nowMs), nowMs);
  return (
    <span role="status" className="flex items-center gap-1.5 text-ink-3 text-meta tabular-nums">
      <CloudCheck size={14} aria-hidden="true" className="shrink-0" />
      <span className="truncate">{away === null ? live : `${t("saved", { when: ui(away.key, { n: away.n }) })}, ${live}`}</span>
    </span>
  );
}
