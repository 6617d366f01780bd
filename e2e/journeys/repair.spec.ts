import { expect, test } from "../fixtures/apollo";
import { ADMIN } from "../fixtures/first-admin";
import { picture } from "../fixtures/picture";
import { nodeOf } from "../fixtures/rest";

const REASON = "The stock service answers again";

test.afterEach(async ({ demo }) => {
  await demo.reset();
});

test("the on-call engineer sees which node failed and why, retries it with a reason, and the page follows to Success; the audit names them (RUN-2, RUN-3, OBS-2, AUD-2)", async ({
  page,
  rest,
  demo,
}) => {
  await demo.set("/step/stock", { down: true });
  const id = await rest.trigger("warehouse-refresh", { pace: 250 });
  await page.goto(`/runs/${id}`);
  await page.evaluate(() => Object.assign(window, { unbroken: true }));
  const main = page.getByRole("main");
  await expect(main.getByText("Paused", { exact: true })).toBeVisible({ timeout: 60_000 });
  await expect(main.getByText("Nothing more can move. 1 node needs a decision: retry, skip or mark as success.")).toBeVisible();
  const panel = page.getByRole("region", { name: "Node Pull stock" });
  await expect(panel.getByRole("tab", { name: "Error" })).toHaveAttribute("aria-selected", "true");
  await expect(panel.getByText(/^WAREHOUSE_STOCK_\w+_503$/).first()).toBeVisible();
  await picture(page, "run-paused");
  const before = await rest.run(id);

  await demo.set("/step/stock", { down: false });
  await panel.getByRole("button", { name: "Retry" }).click();
  const dialog = page.getByRole("alertdialog", { name: "Retry Pull stock" });
  await expect(dialog.getByText("Will run")).toBeVisible();
  await picture(page, "retry");
  await dialog.getByRole("button", { name: "Retry" }).click();
  await expect(dialog.getByText("Give a reason: whoever reads the audit log needs one.")).toBeVisible();
  await dialog.getByLabel("Reason").fill(REASON);
  await dialog.getByRole("button", { name: "Retry" }).click();
  const auditRow = await page.getByRole("link", { name: "Open the audit row" }).getAttribute("href");

  await expect(main.getByText("Success", { exact: true }).first()).toBeVisible({ timeout: 60_000 });
  await expect(main.getByLabel("Graph of the run: 17 nodes").getByRole("img", { name: "Success" })).toHaveCount(17);
  expect(await page.evaluate(() => "unbroken" in window), "the page was not loaded again").toBe(true);
  const after = await rest.runIs(id, "SUCCESS");
  for (const { key, state, attempts } of before.nodes) {
    if (state === "SUCCESS") expect(nodeOf(after, key).attempts, `attempts of ${key}`).toHaveLength(attempts.length);
  }
  await page.getByRole("radio", { name: "Gantt" }).click();
  await expect(main.getByText("Publish both together").first()).toBeVisible();
  await picture(page, "run-gantt");

  await page.goto(auditRow ?? "the toast led nowhere");
  const row = page.getByRole("row").filter({ hasText: ADMIN.name });
  await expect(row).toHaveCount(1);
  await expect(row).toContainText(REASON);
});
