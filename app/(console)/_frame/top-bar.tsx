"use client";
import { Search } from "lucide-react";
import { useTranslations } from "next-intl";
import { Mark } from "@/app/_ui/brand";
import { Kbd } from "@/app/_ui/kbd";
import { AccountMenu } from "./account-menu";
import { DayRuler } from "./day-ruler";
import type { FrameData, LiveState } from "./frame-data";
import { LiveMark } from "./live-mark";
import { ProjectSwitcher } from "./project-switcher";
import { LanguageMenu, ThemeMenu } from "./view-menus";
import { ZonePicker } from "./zone-picker";

interface TopBarProps extends Pick<FrameData, "project" | "projects" | "user" | "role"> {
  live: LiveState;
  onLiveToggle?: () => void;
  onProject: (name: string) => void;
  onSignOut: () => void;
  onPalette: () => void;
  onShortcuts: () => void;
}

export function TopBar(props: TopBarProps) {
  const t = useTranslations("frame.palette");
  return (
    <header className="sticky top-0 z-30 flex h-(--bar) shrink-0 items-center gap-1 border-b bg-ground px-2 md:px-4">
      <Mark size={20} className="mx-1 shrink-0 md:hidden" />
      <ProjectSwitcher project={props.project} projects={props.projects} onProject={props.onProject} />
      <button
        type="button"
        onClick={props.onPalette}
        aria-label={t("open")}
        className="mx-auto flex h-7 min-w-0 items-center gap-2 rounded-md border border-line-strong bg-panel px-2 text-ink-3 text-table hover:border-edge md:w-80 pointer-coarse:h-9"
      >
        <Search size={13} aria-hidden="true" className="shrink-0" />
        <span className="flex-1 truncate text-left max-md:hidden">{t("short")}</span>
        <Kbd keys="mod+k" className="max-md:hidden" />
      </button>
      <LiveMark live={props.live} onToggle={props.onLiveToggle} />
      <ZonePicker />
      <span className="flex items-center max-md:hidden">
        <ThemeMenu />
        <LanguageMenu />
      </span>
      <AccountMenu user={props.user} role={props.role} onSignOut={props.onSignOut} onShortcuts={props.onShortcuts} />
      <DayRuler />
    </header>
  );
}
