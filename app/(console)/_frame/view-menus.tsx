"use client";
import { Languages, Monitor, Moon, Sun } from "lucide-react";
import { useTranslations } from "next-intl";
import { THEMES, type Theme } from "@/app/_ui/choices";
import { IconButton } from "@/app/_ui/icon-button";
import { Menu, type MenuItem } from "@/app/_ui/menu";
import { useTheme } from "@/app/_ui/theme";
import { LANGUAGE_NAMES, LOCALES } from "@/app/_words/locales";
import { useLanguage } from "./language";

const THEME_ICONS = { system: Monitor, light: Sun, dark: Moon } as const;

export function useThemeChoice(): MenuItem {
  const t = useTranslations("frame.theme");
  const { theme, setTheme } = useTheme();
  return {
    kind: "choice",
    key: "theme",
    label: t("label"),
    value: theme,
    onValue: (value) => setTheme(value as Theme),
    options: THEMES.map((each) => ({ value: each, label: t(each) })),
  };
}

export function useLanguageChoice(): MenuItem {
  const t = useTranslations("frame.language");
  const { locale, setLocale } = useLanguage();
  return {
    kind: "choice",
    key: "language",
    label: t("label"),
    value: locale,
    onValue: setLocale,
    options: LOCALES.map((each) => ({ value: each, label: <span lang={each}>{LANGUAGE_NAMES[each]}</span> })),
  };
}

export function ThemeMenu() {
  const t = useTranslations("frame.theme");
  const { theme } = useTheme();
  const Icon = THEME_ICONS[theme];
  return <Menu items={[useThemeChoice()]} trigger={<IconButton label={t("label")} icon={<Icon size={15} aria-hidden="true" />} />} />;
}

export function LanguageMenu() {
  const t = useTranslations("frame.language");
  return (
    <Menu items={[useLanguageChoice()]} trigger={<IconButton label={t("label")} icon={<Languages size={15} aria-hidden="true" />} />} />
  );
}
