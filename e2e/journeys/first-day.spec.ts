import { expect, test } from "../fixtures/apollo";
import { picture } from "../fixtures/picture";
import { crontab } from "./crontab";
import { Drawing } from "./drawing";

const TITLE = "Nightly figures";
const NAME = "nightly-figures";

test.describe.configure({ mode: "serial" });

test.describe("before anyone has signed in", () => {
  test.use({ storageState: { cookies: [], origins: [] } });

  test("the one-time link shows a form, signs the first administrator in, and home follows the demo by itself (AUD-1, OBS-1, ECO-3)", async ({
    page,
    product,
    firstAdmin,
    rest,
  }) => {
    const link = product.signInLink ?? "";
    await page.goto(link);
    await page.goto(link);
    await expect(page.getByRole("button", { name: "Create and sign in" })).toBeVisible();
    await picture(page, "first-link");
    await firstAdmin.become(page);

    const again = await page.request.post("/api/first-admin", {
      data: { token: link.split(/[/=]/).at(-1), email: "late@apollo.test", name: "Late", password: "correct horse battery 12" },
    });
    expect(again.status(), "the link works once").toBeGreaterThanOrEqual(400);
    expect(again.status()).toBeLessThan(500);

    await expect(page.getByText("live", { exact: true })).toBeVisible();
    await expect(page.getByRole("heading", { name: "Next hour" })).toBeVisible();
    await rest.trigger("ledger-close");
    await expect(page.getByRole("link", { name: "Open the newest broken run of Ledger close" })).toBeVisible({ timeout: 90_000 });
    await picture(page, "home");
  });
});

test("three nodes are drawn on the canvas, connected, published and run, and the page follows to Success without a reload (PIP-2, PIP-5, OBS-2)", async ({
  page,
  demo,
}) => {
  await page.goto("/pipelines");
  await page.getByRole("link", { name: "New pipeline" }).click();
  await page.getByLabel("Title").fill(TITLE);
  await expect(page.getByLabel("Name", { exact: true })).toHaveValue(NAME);
  await page.getByRole("button", { name: "Create and draw" }).click();

  const drawing = new Drawing(page);
  await drawing.toCanvas();
  await drawing.drop("HTTP request", { x: 150, y: 160 });
  await page.getByLabel("Address").fill(`${demo.url}/orders/export?day=2026-03-01`);
  await page.keyboard.press("Escape");
  await drawing.addByKey("Command", "request");
  await page.getByLabel("Program and arguments").fill(["node", "-e", "console.log(JSON.stringify({ rows: 3 }))"].join("\n"));
  await page.keyboard.press("Escape");
  await drawing.drop("Task", { x: 420, y: 420 });
  await page.getByLabel("Name of the task").fill("demo.work");
  await page.getByLabel("Input").fill('{ "ms": 900, "rows": "{{ nodes.command.output.rows }}" }');
  await expect(drawing.card("task"), "a reference to a node that does not come before it is marked").toHaveAttribute("data-problems", "1");
  await drawing.connect("command", "task");
  await expect(drawing.card("task")).toHaveAttribute("data-problems", "0");
  await page.getByRole("button", { name: "Arrange by order" }).click();
  await page.getByRole("button", { name: "Show everything" }).click();
  await drawing.isSaved();
  await picture(page, "editor");
  await drawing.publish("The first three steps", 1);

  await page.getByRole("link", { name: "Back to the pipeline" }).click();
  await page.getByRole("button", { name: "Run now" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("link", { name: "Open the run" }).click();
  await page.waitForURL("**/runs/*");
  await page.evaluate(() => Object.assign(window, { unbroken: true }));
  const main = page.getByRole("main");
  await expect(main.getByLabel("Graph of the run: 3 nodes").getByRole("img", { name: "Success" })).toHaveCount(3, { timeout: 30_000 });
  await expect(main.getByText("Success", { exact: true }).first()).toBeVisible();
  expect(await page.evaluate(() => "unbroken" in window), "the page was not loaded again").toBe(true);
});

test("a schedule given in the editor is put into words with its next ten fires, and fires on the minute (SCH-1, SCH-5, SCH-6)", async ({
  page,
  rest,
}) => {
  await page.goto(`/pipelines?q=${NAME}`);
  await page.getByRole("link", { name: TITLE }).click();
  await page.getByRole("link", { name: "Edit", exact: true }).click();
  await page.getByRole("tab", { name: "Schedules" }).click();
  await page.getByRole("button", { name: "Add a schedule" }).click();
  await page.getByLabel("Cron expression").fill("*/1 * * * *");
  await page.getByLabel("Time zone").last().fill("Asia/Shanghai");
  await expect(page.getByText("Every minute")).toBeVisible();
  await expect(page.getByRole("list", { name: /^The next 10 fires$/ }).getByRole("listitem")).toHaveCount(10);
  const drawing = new Drawing(page);
  await drawing.isSaved();
  await picture(page, "schedule");
  await drawing.publish("Every minute from now on", 2);

  await page.goto("/schedules");
  const row = page.getByRole("row").filter({ hasText: TITLE });
  await expect(row.first()).toContainText("Ran", { timeout: 90_000 });
  await expect(row.first()).toContainText("Asia/Shanghai");
  const [fire] = (await rest.fires(NAME)).slice(-1);
  expect(fire).toMatchObject({ verdict: "ran", schedule: { timezone: "Asia/Shanghai" } });
  expect(fire?.lateMs, "late by").toBeLessThanOrEqual(2_000);
  await rest.runIs(fire?.runId ?? "", "SUCCESS");
});

test("a crontab of 30 lines is shown line by line, makes nothing before it is confirmed, and then fires (INV-3, SCH-5)", async ({
  page,
  rest,
}) => {
  await page.goto("/pipelines/import");
  await page.getByLabel("The crontab").fill(crontab);
  await page.getByRole("button", { name: "Preview" }).click();
  const lines = page.getByRole("list", { name: "Lines of the crontab" });
  await expect(lines.locator("> li")).toHaveCount(30);
  await expect(page.getByText("30 lines, 20 of them entries.")).toBeVisible();
  await expect(lines.locator('[data-line="7"]')).toContainText("Asia/Shanghai");
  await expect(lines.locator('[data-line="7"]').getByRole("list", { name: "Next fires" }).getByRole("listitem")).toHaveCount(5);
  await expect(lines.locator('[data-line="28"]')).toContainText("Not carried over");
  await picture(page, "import-preview");
  expect(await rest.pipelineNames(), "nothing is made by looking").not.toContain("date");

  await page.getByRole("radio", { name: "Firing from now on" }).click();
  await page.getByRole("button", { name: /^Create \d+ pipelines$/ }).click();
  await expect(page.getByRole("status").getByText("19 pipelines were made")).toBeVisible();
  const ofLine = page.getByRole("listitem").filter({ has: page.getByText("line 7", { exact: true }) });
  const name = ((await ofLine.getByRole("link").textContent()) ?? "").trim();

  await page.goto("/schedules");
  await expect(page.getByRole("row").filter({ hasText: name }).first()).toContainText("Ran", { timeout: 90_000 });
  await picture(page, "ledger");
  const [fire] = await rest.fires(name);
  expect(fire).toMatchObject({ verdict: "ran" });
  await rest.runIs(fire?.runId ?? "", "SUCCESS");
});
