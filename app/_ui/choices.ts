export const THEME_COOKIE = "theme";
/** Chosen by a person; absent as long as the browser's own zone is good enough. */
export const ZONE_COOKIE = "zone";
/** What the browser said last, so that the server's first paint is in it. */
export const BROWSER_ZONE_COOKIE = "browser-zone";
export const PROJECT_COOKIE = "project";
/** `narrow` where the rail is folded to icons. */
export const RAIL_COOKIE = "rail";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

export const isTheme = (value: string | undefined): value is Theme => THEMES.some((theme) => theme === value);

const YEAR_S = 31_536_000;

/** Keeps a choice of this browser where the server can read it, so that the first paint is already right. */
export function keepChoice(name: string, value: string | null) {
  const life = value === null ? 0 : YEAR_S;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser that we serve
  document.cookie = `${name}=${encodeURIComponent(value ?? "")}; path=/; max-age=${life}; samesite=lax`;
}
