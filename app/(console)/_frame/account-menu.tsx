"use client";
import { Keyboard, LogOut } from "lucide-react";
import { useTranslations } from "next-intl";
import { Menu, type MenuItem } from "@/app/_ui/menu";
import type { FrameData } from "./frame-data";
import { PLACES } from "./places";
import { useLanguageChoice, useThemeChoice } from "./view-menus";

interface AccountMenuProps {
  user: FrameData["user"];
  role: FrameData["role"];
  onSignOut: () => void;
  onShortcuts: () => void;
}

const initials = (name: string): string => {
  const words = name.trim().split(/\s+/);
  const first = [...(words[0] ?? "")][0] ?? "";
  const last = words.length > 1 ? ([...(words.at(-1) ?? "")][0] ?? "") : "";
  return (first + last).toUpperCase();
};

/** On a phone it also holds what the bars have no room for. */
export function AccountMenu({ user, role, onSignOut, onShortcuts }: AccountMenuProps) {
  const t = useTranslations("frame");
  const words = useTranslations("ui.role");
  const theme = useThemeChoice();
  const language = useLanguageChoice();
  const items: MenuItem[] = [
    { key: "who", kind: "heading", label: t("account.signedInAs", { email: user.email }) },
    ...(role ? [{ key: "role", kind: "heading" as const, label: t("account.role", { role: words(role) }) }] : []),
    { key: "line-1", kind: "line" },
    ...PLACES.filter((place) => !place.phone).map((place) => ({
      key: place.key,
      label: t(`places.${place.key}`),
      href: place.href,
      icon: <place.icon size={14} aria-hidden="true" />,
    })),
    { key: "line-2", kind: "line" },
    theme,
    language,
    { key: "line-3", kind: "line" },
    { key: "keys", label: t("shortcuts.title"), icon: <Keyboard size={14} aria-hidden="true" />, shortcut: "?", onSelect: onShortcuts },
    { key: "out", label: t("account.signOut"), icon: <LogOut size={14} aria-hidden="true" />, onSelect: onSignOut },
  ];
  return (
    <Menu
      className="w-64"
      items={items}
      trigger={
        <button
          type="button"
          aria-label={`${t("account.label")}: ${user.name}`}
          className="ml-1 flex size-7 shrink-0 items-center justify-center rounded-full border border-line-strong bg-raised font-medium text-[11px] text-ink-2 hover:border-edge hover:text-ink pointer-coarse:size-9"
        >
          {initials(user.name || user.email)}
        </button>
      }
    />
  );
}
