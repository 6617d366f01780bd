import type { Locator, Page } from "@playwright/test";
import { expect, test } from "../fixtures/apollo";
import { Drawing } from "./drawing";

const wait = (key: string, needs: string[] = []) => ({ key, type: "wait", needs, with: { for: "1s" } });
const task = (key: string, needs: string[] = []) => ({ key, type: "handler", needs, with: { task: "demo.work" } });

async function openEditor(page: Page, title: string): Promise<void> {
  await page.goto(`/pipelines?q=${title}`);
  await page.getByRole("link", { name: title, exact: true }).click();
  await page.getByRole("link", { name: "Edit", exact: true }).click();
  await expect(page.getByRole("button", { name: /^Publish/ })).toBeVisible();
}

const saved = (page: Page): Locator => page.getByText(/^Saved .*not published$/);
const steps = (page: Page): Promise<string[]> =>
  page.locator("[data-step]").evaluateAll((rows) => rows.map((row) => row.getAttribute("data-step") ?? ""));

test("a plain pipeline is a list of steps that the keyboard adds to, reorders and takes back (PIP-2, PIP-3)", async ({ page, rest }) => {
  await rest.apply("editing-list", { domain: "EDIT", nodes: [task("pull"), task("clean", ["pull"]), task("load", ["clean"])] });
  await openEditor(page, "editing-list");
  await expect.poll(() => steps(page)).toEqual(["pull", "clean", "load"]);

  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("n");
  await page.getByRole("dialog", { name: "Add a node after pull" }).getByRole("combobox").fill("wait");
  await page.keyboard.press("Enter");
  await expect.poll(() => steps(page)).toEqual(["pull", "wait", "clean", "load"]);
  await page.keyboard.press("Alt+ArrowDown");
  await expect.poll(() => steps(page)).toEqual(["pull", "clean", "wait", "load"]);
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  await expect.poll(() => steps(page)).toEqual(["pull", "clean", "load"]);
  await page.keyboard.press("Control+Shift+z");
  await expect.poll(() => steps(page)).toEqual(["pull", "wait", "clean", "load"]);
  await expect(saved(page)).toBeVisible();

  await page.reload();
  await expect.poll(() => steps(page), { message: "the draft is as it was left" }).toEqual(["pull", "wait", "clean", "load"]);
});

test("a line that would close a circle is refused with the circle named, and the drawing stays as it was (PIP-3)", async ({
  page,
  rest,
}) => {
  await rest.apply("editing-circle", { domain: "EDIT", nodes: [wait("a"), wait("b", ["a"]), wait("c", ["a"]), wait("d", ["b", "c"])] });
  await openEditor(page, "editing-circle");
  const drawing = new Drawing(page);
  const lines = page.locator(".react-flow__edge");
  await expect(lines).toHaveCount(4);
  await drawing.card("d").locator(".react-flow__handle.source").hover();
  await page.mouse.down();
  await drawing.card("a").locator(".react-flow__handle.target").hover();
  await page.mouse.up();
  await expect(page.getByRole("alert").filter({ hasText: "close a circle" })).toContainText(/d → a → [bc] → d/);
  await expect(lines).toHaveCount(4);
});

test("what is typed into one node's form never shows in another's, however fast one clicks (B90)", async ({ page, rest }) => {
  await rest.apply("editing-forms", { domain: "EDIT", nodes: [task("pull"), task("clean", ["pull"])] });
  await openEditor(page, "editing-forms");
  const step = (key: string) => page.locator(`[data-step="${key}"] [data-step-button]`);
  await step("pull").click();
  await page.getByLabel("Input").fill('{ "rows": ');
  await step("clean").click();
  await expect(page.getByLabel("Input")).toHaveValue("");
  await page.getByLabel("Input").fill('{ "ms": 5 }');
  await step("pull").click();
  await expect(page.getByLabel("Input")).toHaveValue('{ "rows": ');
  await expect(page.getByText("This is not valid JSON")).toBeVisible();
  await step("clean").click();
  await expect(page.getByLabel("Input")).toHaveValue('{\n  "ms": 5\n}');
});

test("a second editor's stale save is refused and asks; neither draft is lost (PIP-4, B86)", async ({
  page,
  rest,
  context,
  complaints,
}) => {
  await rest.apply("editing-twice", { domain: "EDIT", nodes: [task("pull")] });
  const other = await context.newPage();
  await openEditor(page, "editing-twice");
  await openEditor(other, "editing-twice");

  await page.getByLabel("Title", { exact: true }).fill("First tab");
  await expect(saved(page)).toBeVisible();
  await other.getByLabel("Title", { exact: true }).fill("Second tab");
  const question = other.getByRole("dialog", { name: "Someone else changed this draft" });
  await question.getByRole("button", { name: "Look at the difference" }).click();
  await expect(question.getByText("First tab")).toBeVisible();
  await question.getByRole("button", { name: "Take theirs" }).click();
  const title = other.getByLabel("Title", { exact: true });
  await expect(title).toHaveValue("First tab");
  await other.keyboard.press("Escape");
  await other.keyboard.press("Control+z");
  await expect(title, "undo brings one's own back").toHaveValue("Second tab");
  await expect(saved(other)).toBeVisible();

  await page.reload();
  await expect(page.getByLabel("Title", { exact: true })).toHaveValue("Second tab");
  await other.close();
  complaints.length = 0;
});
