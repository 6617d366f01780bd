"use client";
import { useTranslations } from "next-intl";
import { type ReactNode, useState } from "react";
import { keepChoice, RAIL_COOKIE } from "@/app/_ui/choices";
import { BannerLines } from "./banner-lines";
import { BottomBar } from "./bottom-bar";
import { CommandPalette } from "./command-palette";
import type { Command, CommandSearch } from "./commands";
import type { FrameBanner, FrameData, LiveState } from "./frame-data";
import { useFrameCommands, useFrameShortcuts } from "./frame-keys";
import { Rail } from "./rail";
import { ShortcutList } from "./shortcut-list";
import { TopBar } from "./top-bar";

export interface FrameProps extends FrameData {
  live: LiveState;
  banners: readonly FrameBanner[];
  /** As the cookie says, so that the first paint has the right width. */
  railNarrow: boolean;
  /** Of the page that is shown, before those of the frame. */
  commands?: readonly Command[];
  search?: CommandSearch;
  onLiveToggle?: () => void;
  onProject: (name: string) => void;
  onSignOut: () => void;
  children: ReactNode;
}

export function Frame(props: FrameProps) {
  const t = useTranslations("frame");
  const [narrow, setNarrow] = useState(props.railNarrow);
  const [palette, setPalette] = useState(false);
  const [keys, setKeys] = useState(false);
  useFrameShortcuts({ onPalette: () => setPalette(true), onKeys: () => setKeys(true) });
  const commands = useFrameCommands({ onKeys: () => setKeys(true), onSignOut: props.onSignOut });

  return (
    <div className="flex min-h-dvh">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-ink focus:px-3 focus:py-1.5 focus:text-panel focus:text-table"
      >
        {t("skip")}
      </a>
      <Rail
        narrow={narrow}
        counts={props.counts}
        onNarrow={(next) => {
          setNarrow(next);
          keepChoice(RAIL_COOKIE, next ? "narrow" : null);
        }}
      />
      <div className="flex h-dvh min-w-0 flex-1 flex-col">
        <TopBar {...props} onPalette={() => setPalette(true)} onShortcuts={() => setKeys(true)} />
        <BannerLines banners={props.banners} />
        <main id="content" tabIndex={-1} data-scroll="" className="relative min-h-0 flex-1 overflow-y-auto outline-none">
          {props.children}
        </main>
        <BottomBar />
      </div>
      <CommandPalette open={palette} onOpen={setPalette} commands={[...(props.commands ?? []), ...commands]} search={props.search} />
      <ShortcutList open={keys} onOpen={setKeys} />
    </div>
  );
}
