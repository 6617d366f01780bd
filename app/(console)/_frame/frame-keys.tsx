"use client";
import { Keyboard, Languages, LogOut, SunMoon } from "lucide-react";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { useEffect, useMemo, useRef } from "react";
import { THEMES } from "@/app/_ui/choices";
import { type Shortcut, useShortcuts } from "@/app/_ui/shortcuts";
import { useTheme } from "@/app/_ui/theme";
import { LANGUAGE_NAMES, LOCALES } from "@/app/_words/locales";
import type { Command } from "./commands";
import { useLanguage } from "./language";
import { PLACES } from "./places";

/** `/` goes to the page's own search where it has one, else to the palette. */
function focusMainSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>("[data-main-search]");
  field?.focus();
  field?.select();
  return field !== null;
}

export function useFrameShortcuts(deeds: { onPalette: () => void; onKeys: () => void }) {
  const t = useTranslations("frame.shortcuts");
  const router = useRouter();
  const latest = useRef(deeds);
  useEffect(() => {
    latest.current = deeds;
  });
  const list = useMemo<Shortcut[]>(
    () => [
      { keys: "mod+k", label: t("palette"), group: t("global"), inFields: true, run: () => latest.current.onPalette() },
      { keys: "/", label: t("search"), group: t("global"), run: () => focusMainSearch() || latest.current.onPalette() },
      { keys: "?", label: t("list"), group: t("global"), run: () => latest.current.onKeys() },
      ...PLACES.map((place) => ({ keys: `g ${place.go}`, label: t(place.key), group: t("global"), run: () => router.push(place.href) })),
    ],
    [t, router],
  );
  useShortcuts(list);
}

export function useFrameCommands({ onKeys, onSignOut }: { onKeys: () => void; onSignOut: () => void }): readonly Command[] {
  const t = useTranslations("frame");
  const { setTheme } = useTheme();
  const { setLocale } = useLanguage();
  return [
    ...PLACES.map((place) => ({
      key: `go-${place.key}`,
      label: t(`places.${place.key}`),
      group: t("palette.goto"),
      also: place.key,
      icon: <place.icon size={14} aria-hidden="true" />,
      shortcut: `g ${place.go}`,
      href: place.href,
    })),
    ...THEMES.map((theme) => ({
      key: `theme-${theme}`,
      label: `${t("theme.label")}: ${t(`theme.${theme}`)}`,
      group: t("palette.view"),
      icon: <SunMoon size={14} aria-hidden="true" />,
      run: () => setTheme(theme),
    })),
    ...LOCALES.map((locale) => ({
      key: `language-${locale}`,
      label: `${t("language.label")}: ${LANGUAGE_NAMES[locale]}`,
      group: t("palette.view"),
      icon: <Languages size={14} aria-hidden="true" />,
      run: () => setLocale(locale),
    })),
    {
      key: "keys",
      label: t("shortcuts.title"),
      group: t("palette.help"),
      icon: <Keyboard size={14} aria-hidden="true" />,
      shortcut: "?",
      run: onKeys,
    },
    {
      key: "sign-out",
      label: t("account.signOut"),
      group: t("palette.help"),
      icon: <LogOut size={14} aria-hidden="true" />,
      run: onSignOut,
    },
  ];
}
