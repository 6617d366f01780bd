"use client";
import { createContext, type ReactNode, useContext, useMemo, useState } from "react";
import { keepChoice, THEME_COOKIE, type Theme } from "./choices";

interface ThemeFace {
  theme: Theme;
  setTheme: (theme: Theme) => void;
}

const ThemeContext = createContext<ThemeFace | null>(null);

/**
 * The server writes `data-theme` on <html> from the cookie and CSS does the rest (`color-scheme` and `light-dark()`),
 * so the page needs no inline script for it.
 */
export function ThemeGround({ first, children }: { first: Theme; children: ReactNode }) {
  const [theme, setChosen] = useState(first);
  const face = useMemo<ThemeFace>(
    () => ({
      theme,
      setTheme: (next) => {
        setChosen(next);
        keepChoice(THEME_COOKIE, next);
        if (next === "system") delete document.documentElement.dataset.theme;
        else document.documentElement.dataset.theme = next;
      },
    }),
    [theme],
  );
  return <ThemeContext value={face}>{children}</ThemeContext>;
}

export function useTheme(): ThemeFace {
  const face = useContext(ThemeContext);
  if (!face) throw new Error("useTheme stands outside <ThemeGround>: put the page under app/layout.tsx");
  return face;
}
