import type { Page } from "@playwright/test";
import { expect, listen, test } from "../fixtures/apollo";

const VIEWER = { email: "viewer@apollo.test", name: "A Viewer", password: "looking is not touching" } as const;
/** Names of everything that changes something; a viewer meets none of them. */
const CHANGES =
  /^(New pipeline|Import a crontab|Run now|Run…|Edit|Publish|Enable|Disable|More actions.*|Rename.*|Archive.*|Retry|Skip|Cancel|Cancel the run|Resume|Pause|Rerun from here|Run again|Mark as success|Actions|Restore.*|Drain.*|Add.*|Create.*|Remove.*|Revoke.*)$/;

async function signIn(page: Page): Promise<void> {
  await page.goto("/runs");
  await expect(page, "who is not signed in is asked to").toHaveURL(/\/sign-in/);
  await page.getByLabel("E-mail").fill(VIEWER.email);
  await page.getByLabel("Password", { exact: true }).fill(VIEWER.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Runs" }), "and goes on to where they wanted").toBeVisible();
}

test("an administrator adds a viewer, who sees everything, meets no button that changes anything, and is told so at addresses that would (AUD-1)", async ({
  page,
  browser,
  product,
  rest,
  demo,
  complaints,
}) => {
  await page.goto("/settings");
  await page.getByRole("button", { name: "Add a member" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a member" });
  await dialog.getByLabel("E-mail").fill(VIEWER.email);
  const refused = page.waitForResponse((answer) => answer.url().includes("members.add"));
  await dialog.getByRole("button", { name: "Add a member" }).click();
  await refused;
  await expect(dialog.getByText("has no account yet")).toBeVisible();
  expect(complaints.splice(0), "the browser's own word about the refusal").toHaveLength(1);
  await dialog.getByLabel("Name", { exact: true }).fill(VIEWER.name);
  await dialog.getByLabel("First password").fill(VIEWER.password);
  await dialog.getByRole("button", { name: "Add a member" }).click();
  await expect(page.getByRole("row").filter({ hasText: VIEWER.email })).toContainText(VIEWER.name);

  await demo.set("/step/stock", { down: true });
  const broken = await rest.trigger("warehouse-refresh", { pace: 0 });
  await rest.runIs(broken, "PAUSED");
  await demo.reset();

  const context = await browser.newContext({ baseURL: product.url, storageState: { cookies: [], origins: [] } });
  const own = await context.newPage();
  listen(own, complaints);
  await signIn(own);
  await own.goto("/pipelines");
  const pipeline = (await own.getByRole("link", { name: "Warehouse refresh" }).getAttribute("href")) ?? "";
  const main = own.getByRole("main");
  for (const path of [
    "/",
    "/pipelines",
    pipeline,
    `${pipeline}?tab=versions`,
    "/runs",
    `/runs/${broken}`,
    "/workers",
    "/audit",
    "/settings",
  ]) {
    await own.goto(path);
    await expect(main.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(own.locator("[aria-busy=true]")).toHaveCount(0);
    await expect.soft(main.getByRole("button", { name: CHANGES }), path).toHaveCount(0);
    await expect.soft(main.getByRole("link", { name: CHANGES }), path).toHaveCount(0);
  }
  await own.goto("/schedules?tab=list");
  await expect(main.getByText("Warehouse refresh")).toBeVisible();
  await expect(main.getByRole("switch", { disabled: false })).toHaveCount(0);

  for (const path of ["/pipelines/new", "/pipelines/import", "/settings?tab=tokens"]) {
    await own.goto(path);
    await expect(own.getByText("You may not see this"), path).toBeVisible();
    await expect(own.getByText(/yours is viewer/), path).toBeVisible();
  }
  await own.goto(`${pipeline}/edit`);
  await expect(own.getByText("You may look at this pipeline, but not change it.")).toBeVisible();
  await expect(own.getByRole("button", { name: "Publish" })).toHaveCount(0);

  const sent = await own.request.post("/api/trpc/runs.cancel", { data: { json: { runId: broken, reason: "mine now" } } });
  expect(sent.status(), "and the server says the same").toBe(403);
  expect(await rest.run(broken)).toMatchObject({ state: "PAUSED" });
  await context.close();
});
