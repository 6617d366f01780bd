import { readdirSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { LOCALES } from "./locales";
import { findHardText, findUsedKeys } from "./scan-screens";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const APP = join(HERE, "..");

/** `{ "runs.title": "Runs", … }` of one language, from all its files. */
function wordsOf(locale: string): Map<string, string> {
  const words = new Map<string, string>();
  const walk = (value: unknown, path: string) => {
    if (typeof value === "string") words.set(path, value);
    else for (const [key, inner] of Object.entries(value as Record<string, unknown>)) walk(inner, `${path}.${key}`);
  };
  for (const file of readdirSync(join(HERE, locale)))
    walk(JSON.parse(readFileSync(join(HERE, locale, file), "utf8")), basename(file, ".json"));
  return words;
}

/** Names in `{name}`, `{n, plural, …}` and `<tag>`; plural branches and their texts differ by language and may. */
const placeholders = (text: string): string[] =>
  [...new Set([...text.matchAll(/\{\s*(\w+)\s*[,}]|<(\w+)>/g)].map(([, name, tag]) => name ?? `<${tag}>`))].sort();

const screens = readdirSync(APP, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.tsx?$/.test(path) && !path.endsWith(".test.ts") && !path.endsWith(".d.ts"))
  .map((path) => ({ path: relative(process.cwd(), join(APP, path)), text: readFileSync(join(APP, path), "utf8") }));

const english = wordsOf("en");
const hasKey = (key: string) => english.has(key) || [...english.keys()].some((known) => known.startsWith(`${key}.`));

describe("words of the screens (ECO-2)", () => {
  it("every file of words stands in both languages and is loaded", () => {
    const loaded = readFileSync(join(HERE, "messages.ts"), "utf8");
    for (const locale of LOCALES) {
      expect(readdirSync(join(HERE, locale)).sort()).toEqual(readdirSync(join(HERE, "en")).sort());
      for (const file of readdirSync(join(HERE, locale))) expect(loaded).toContain(`"./${locale}/${file}"`);
    }
  });

  it.each(LOCALES)("%s has every key that the other languages have", (locale) => {
    const own = wordsOf(locale);
    const missing = LOCALES.flatMap((other) => [...wordsOf(other).keys()]).filter((key) => !own.has(key));
    expect([...new Set(missing)]).toEqual([]);
  });

  it.each(LOCALES)("%s leaves no text empty", (locale) => {
    expect([...wordsOf(locale)].filter(([, text]) => text.trim() === "").map(([key]) => key)).toEqual([]);
  });

  it("the same values are filled into a text in every language", () => {
    const chinese = wordsOf("zh-CN");
    const differing = [...english]
      .map(([key, text]) => ({ key, en: placeholders(text), zh: placeholders(chinese.get(key) ?? "") }))
      .filter(({ en, zh }) => en.join() !== zh.join());
    expect(differing).toEqual([]);
  });

  it("every key that a screen asks for exists", () => {
    const used = screens.flatMap(({ path, text }) => findUsedKeys(path, text));
    expect(used.length).toBeGreaterThan(100);
    expect(used.filter(({ key, prefix }) => !(prefix ? [...english.keys()].some((known) => known.startsWith(key)) : hasKey(key)))).toEqual(
      [],
    );
  });

  it("no screen has visible text of its own", () => {
    expect(screens.filter(({ path }) => path.endsWith(".tsx")).flatMap(({ path, text }) => findHardText(path, text))).toEqual([]);
  });
});

describe("the scan itself", () => {
  it("follows a translator through its namespace, its sub-names, templates and choices", () => {
    const used = findUsedKeys(
      "x.tsx",
      `function A() { const t = useTranslations("runs"); return t("title") + t.rich("lead", {}) + t(\`state.\${s}\`) + t(open ? "hide" : "show"); }
       async function B() { const t = await getTranslations({ locale, namespace: "audit.row" }); return t("who"); }
       function C() { const t = useTranslations(); return t("ui.close"); }`,
    );
    expect(used.map(({ key }) => key)).toEqual([
      "runs.title",
      "runs.lead",
      "runs.state.",
      "runs.hide",
      "runs.show",
      "audit.row.who",
      "ui.close",
    ]);
    expect(used.filter(({ prefix }) => prefix).map(({ key }) => key)).toEqual(["runs.state."]);
  });

  it("sees text between tags and in attributes that people read, and passes names, units and punctuation", () => {
    const found = findHardText(
      "x.tsx",
      `<p title="A hint">Hello <b>{n}</b> · UTC {"Apollo-11"} <i aria-label={t("a")} className="text">{"loose"}</i></p>`,
    );
    expect(found.map(({ text }) => text)).toEqual(["A hint", "Hello", "loose"]);
  });
});
