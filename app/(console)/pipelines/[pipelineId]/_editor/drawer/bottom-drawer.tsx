"use client";
import { ChevronDown, ChevronUp } from "lucide-react";
import { useTranslations } from "next-intl";
import { cn } from "@/app/_ui/class-names";
import { IconButton } from "@/app/_ui/icon-button";
import { useEditor } from "../editor-context";
import { ProblemList } from "./problem-list";
import { YamlView } from "./yaml-view";

export type DrawerTab = "problems" | "yaml";
const TABS: readonly DrawerTab[] = ["problems", "yaml"];

interface BottomDrawerProps {
  readonly open: DrawerTab | null;
  readonly onOpen: (tab: DrawerTab | null) => void;
}

/** What stands in the way of publishing, and the definition as YAML. */
export function BottomDrawer({ open, onOpen }: BottomDrawerProps) {
  const t = useTranslations("editor.drawer");
  const { problems } = useEditor();
  return (
    <section aria-label={t("label")} className={cn("flex shrink-0 flex-col border-t bg-panel", open !== null && "h-64 max-md:h-[45dvh]")}>
      <div className="flex h-9 shrink-0 items-center gap-1 px-2">
        {TABS.map((tab) => (
          <button
            key={tab}
            type="button"
            aria-expanded={open === tab}
            onClick={() => onOpen(open === tab ? null : tab)}
            className={cn(
              "flex h-7 items-center gap-1.5 rounded-md px-2 text-ink-2 text-table hover:bg-hover hover:text-ink",
              open === tab && "bg-selected font-medium text-ink",
            )}
          >
            {t(tab)}
            {tab === "problems" ? (
              <span className={cn("text-meta tabular-nums", problems.length > 0 ? "text-state-failed" : "text-ink-3")}>
                {problems.length}
              </span>
            ) : null}
          </button>
        ))}
        <IconButton
          size="sm"
          className="ml-auto"
          label={open === null ? t("open") : t("close")}
          icon={open === null ? <ChevronUp size={14} aria-hidden="true" /> : <ChevronDown size={14} aria-hidden="true" />}
          onClick={() => onOpen(open === null ? "problems" : null)}
        />
      </div>
      {open === null ? null : (
        <div className="min-h-0 flex-1 overflow-y-auto border-t">{open === "problems" ? <ProblemList /> : <YamlView />}</div>
      )}
    </section>
  );
}
