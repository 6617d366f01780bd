import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { expect, test } from "../fixtures/apollo";
import { picture } from "../fixtures/picture";

const LOOKS = [
  { locale: "zh-CN", theme: "dark", width: 1440, height: 900 },
  { locale: "en", theme: "light", width: 390, height: 844 },
] as const;
const CHINESE = /[\u4e00-\u9fff]/;

/** What is too wide to be read without moving the page sideways. */
function tooWide(): string[] {
  const wide = [document.documentElement, document.querySelector("#content")].filter(
    (element) => element !== null && element.scrollWidth > element.clientWidth + 1,
  );
  if (wide.length === 0) return [];
  const reach = [...document.querySelectorAll("body *")].filter((element) => element.getBoundingClientRect().right > window.innerWidth + 1);
  return [`${wide.length} scroll sideways`, ...reach.slice(0, 5).map((element) => element.outerHTML.slice(0, 120))];
}

async function pages(page: Page, runId: string): Promise<string[]> {
  await page.goto("/pipelines");
  const pipeline = (await page.getByRole("link", { name: "Warehouse refresh" }).getAttribute("href")) ?? "";
  return [
    "/",
    "/pipelines",
    "/pipelines/new",
    "/pipelines/import",
    pipeline,
    ...["runs", "schedule", "versions", "history"].map((tab) => `${pipeline}?tab=${tab}`),
    `${pipeline}/edit`,
    "/runs",
    `/runs/${runId}`,
    ...["gantt", "table", "timeline"].map((face) => `/runs/${runId}?face=${face}`),
    "/schedules",
    "/schedules?tab=list",
    "/workers",
    "/dependencies",
    "/dead-letters",
    "/audit",
    "/settings",
    "/no-such-page",
  ];
}

for (const { locale, theme, width, height } of LOOKS) {
  test.describe(`${locale}, ${theme}, ${width} px`, () => {
    test.use({ viewport: { width, height }, ...(width < 500 ? { hasTouch: true, isMobile: true } : {}) });

    test("every page is complete in words, stays inside the window and complains of nothing (ECO-2)", async ({
      page,
      context,
      complaints,
      product,
      rest,
    }) => {
      test.setTimeout(300_000);
      await context.addCookies([
        { name: "locale", value: locale, url: product.url },
        { name: "theme", value: theme, url: product.url },
      ]);
      const runId = await rest.trigger("warehouse-refresh", { pace: 0 });
      await rest.runIs(runId, "SUCCESS");
      for (const path of await pages(page, runId)) {
        await page.goto(path);
        await expect(page.locator("html")).toHaveAttribute("lang", locale);
        await expect(page.locator("html")).toHaveAttribute("data-theme", theme);
        await expect(page.locator("h1, main p").first()).toBeVisible();
        await expect(page.locator("[aria-busy=true]"), `${path} has loaded`).toHaveCount(0);
        if (locale === "zh-CN") await expect(page.locator("h1, nav, main p").first(), path).toHaveText(CHINESE);
        expect.soft(await page.evaluate(tooWide), `${path} at ${width} px`).toEqual([]);
        if (path === "/no-such-page") expect(complaints.splice(0), "the browser's own word about it").toHaveLength(1);
        expect.soft(complaints.splice(0), path).toEqual([]);
        if (path === "/" && locale === "zh-CN" && width > 500) await picture(page, "home-zh-dark");
        if (path === `/runs/${runId}` && locale === "en") await picture(page, "run-phone");
      }
      const log = readFileSync(join(product.dataDir, "logs", "apollo.log"), "utf8");
      expect(log.match(/.*(MISSING_MESSAGE|FORMATTING_ERROR|INVALID_MESSAGE).*/g) ?? [], "words that the server lacked").toEqual([]);
    });
  });
}
