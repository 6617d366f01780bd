import { describe, expect, it } from "vitest";
import { isLocale, negotiateLocale } from "./locales";

describe("the language of a first visit (ECO-2)", () => {
  it.each([
    [null, "en"],
    ["", "en"],
    ["fr", "en"],
    ["en-GB,en;q=0.9", "en"],
    ["zh", "zh-CN"],
    ["zh-TW,zh;q=0.8,en;q=0.5", "zh-CN"],
    ["fr-FR,zh-Hans-CN;q=0.4,en;q=0.6", "en"],
    ["en;q=0, zh;q=0.1", "zh-CN"],
    [";;,q=1,,zh-CN", "zh-CN"],
  ])("Accept-Language %j gives %s", (header, locale) => {
    expect(negotiateLocale(header)).toBe(locale);
  });

  it("a cookie with an unknown language is not taken for one", () => {
    expect(isLocale("de")).toBe(false);
    expect(isLocale("zh-CN")).toBe(true);
  });
});
