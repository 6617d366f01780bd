export const LOCALES = ["en", "zh-CN"] as const;
export type Locale = (typeof LOCALES)[number];
export const DEFAULT_LOCALE: Locale = "en";
export const LOCALE_COOKIE = "locale";

/** Each language in its own words, for whoever cannot read the other. */
export const LANGUAGE_NAMES: Record<Locale, string> = { en: "English", "zh-CN": "简体中文" };

export const isLocale = (value: string | undefined): value is Locale => LOCALES.some((locale) => locale === value);

/** The language that a browser asks for, by its own order of preference; any Chinese is served the Chinese that there is. */
export function negotiateLocale(acceptLanguage: string | null): Locale {
  const wanted = (acceptLanguage ?? "")
    .split(",")
    .map((part) => {
      const [tag = "", ...rest] = part.trim().split(";");
      const q = rest.map((param) => /^\s*q=([\d.]+)\s*$/.exec(param)?.[1]).find((value) => value !== undefined);
      return { language: tag.trim().toLowerCase().split("-")[0] ?? "", weight: q === undefined ? 1 : Number(q) };
    })
    .filter((item) => item.language !== "" && item.weight > 0)
    .sort((a, b) => b.weight - a.weight);
  for (const { language } of wanted) {
    if (language === "zh") return "zh-CN";
    if (language === "en") return "en";
  }
  return DEFAULT_LOCALE;
}
