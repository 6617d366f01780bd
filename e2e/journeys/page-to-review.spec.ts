import type { Page } from "@playwright/test";
import { expect, test } from "../fixtures/apollo";
import { ADMIN } from "../fixtures/first-admin";
import { Receiver } from "../fixtures/receiver";

const PIPELINE = "on-call";
const FIX = "The pool of connections was made larger and its wait bounded";
const receiver = new Receiver();

test.beforeAll(async ({ rest, demo }) => {
  const call = (key: string, needs: string[] = []) => ({
    ...{ key, type: "http", needs, with: { method: "POST", url: `${demo.url}/step/${key}` }, retry: { policy: "none" } },
  });
  await rest.apply(PIPELINE, {
    domain: "ONCALL",
    onFailure: "pause",
    nodes: [call("begin"), call("pull", ["begin"]), call("load", ["pull"])],
  });
});
test.afterAll(async ({ demo }) => {
  await demo.reset();
  await receiver.close();
});

/** A channel that leads to the receiver; answers with the secret that the dialog made. */
async function makeChannel(page: Page, port: number): Promise<string> {
  await page.goto("/settings?tab=hosts");
  await page.getByRole("button", { name: "Allow a host" }).click();
  const host = page.getByRole("dialog", { name: "Allow a host" });
  await host.getByLabel("Host", { exact: true }).fill("127.0.0.1");
  await host.getByLabel("Port").fill(String(port));
  await host.getByLabel("Why").fill("Pages of whoever is on call");
  await host.getByRole("button", { name: "Allow a host" }).click();
  await expect(page.getByRole("table").getByText(`127.0.0.1:${port}`)).toBeVisible();
  await page.goto("/alerts?tab=channels");
  await page.getByRole("button", { name: "Add a channel" }).first().click();
  const dialog = page.getByRole("dialog", { name: "Add a channel" });
  await dialog.getByLabel("Name").fill("On call");
  await dialog.getByLabel("Address").fill(`http://127.0.0.1:${port}/pages`);
  await dialog.getByRole("button", { name: "Make one" }).click();
  await dialog.getByLabel("Error codes").fill("ONCALL_*");
  const secret = await dialog.getByLabel("Secret").inputValue();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toHaveCount(0);
  return secret;
}

/** Makes the first administrator a member, who can then own what is agreed on. */
async function join(page: Page): Promise<void> {
  await page.goto("/settings");
  await page.getByRole("button", { name: "Add a member" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a member" });
  await dialog.getByLabel("E-mail").fill(ADMIN.email);
  await dialog.getByLabel("Role").click();
  await page.getByRole("option", { name: "operator" }).click();
  await dialog.getByRole("button", { name: "Add a member" }).click();
  await expect(dialog).toHaveCount(0);
}

/** Writes the whole review of the incident that is shown, and closes it. */
async function reviewAndClose(page: Page): Promise<void> {
  const main = page.getByRole("main");
  await main.getByRole("link", { name: /^Review/ }).click();
  await main.getByLabel("Root cause").click();
  await page.getByRole("option", { name: "dependency" }).click();
  await main.getByRole("group", { name: "Whom or what it reached" }).getByLabel("customers").click();
  await main.getByLabel("What ended it").fill(FIX);
  await main.getByRole("button", { name: "Add an action" }).click();
  await main.getByLabel("What will be done").fill("An alarm on waits for a connection");
  await main.getByLabel("Owner").click();
  await page.getByRole("option", { name: ADMIN.name }).click();
  await main.getByLabel("Due").fill("2100-01-01");
  await main.getByLabel("How it will be proved").fill("It rings in a drill");
  await expect(main.getByText("The review is complete.")).toBeVisible();
  await main.getByRole("button", { name: "Save the review" }).click();
  await expect(main.getByText(`Saved by ${ADMIN.name}`)).toBeVisible();
  await main.getByRole("button", { name: "Close", exact: true }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Close" }).click();
  await expect(main.getByText("closed", { exact: true }).first()).toBeVisible();
}

test("a signed page leads from its button on a phone to the retry, to the review in the console, and to what fixed it on the code's card when it is back (ALT-2, ALT-6, INC-1, INC-2, INC-3)", async ({
  page,
  browser,
  rest,
  demo,
  firstAdmin,
  complaints,
}) => {
  test.setTimeout(60_000);
  await join(page);
  const secret = await makeChannel(page, await receiver.listen());
  await demo.set("/step/pull", { down: true });
  const runId = await rest.trigger(PIPELINE);
  const { data } = await receiver.message(1, secret);
  expect(data.code).toMatch(/^ONCALL_\w+_503$/);
  const retry = data.buttons.find(({ action }) => action === "retry_node");

  await demo.set("/step/pull", { down: false });
  const phone = await browser.newContext({
    ...{ storageState: await firstAdmin.signed(browser), viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  });
  const shown = await phone.newPage();
  await shown.goto(retry?.url ?? "the page has no button that retries");
  await expect(shown.getByRole("heading", { level: 1, name: "Retry the node" })).toBeVisible();
  const radius = shown.locator("section", { has: shown.getByRole("heading", { name: "What it touches" }) });
  await expect(radius).toContainText(/Will run\s*pull, load/);
  await expect(radius).toContainText(/Kept as it is\s*begin/);
  expect((await rest.run(runId)).state, "opening it did nothing").toBe("PAUSED");
  expect(await shown.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await shown.getByRole("button", { name: "Retry the node" }).tap();
  await expect(shown.getByRole("status").getByText("Done", { exact: true })).toBeVisible();
  await phone.close();
  await rest.runIs(runId, "SUCCESS");

  await page.goto("/incidents?tab=all");
  await page.getByRole("table").getByRole("link", { name: data.code }).click();
  const main = page.getByRole("main");
  await expect(main.getByRole("button", { name: "Close", exact: true })).toBeVisible();
  const incident = new URL(page.url()).pathname;
  await reviewAndClose(page);

  await demo.set("/step/pull", { down: true });
  await rest.runIs(await rest.trigger(PIPELINE), "PAUSED");
  await page.goto(data.links.find(({ url }) => new URL(url).pathname.startsWith("/codes/"))?.url ?? "the page leads to no card");
  await expect(main.getByText(FIX)).toBeVisible();
  // The browser may say that nobody has registered the code.
  complaints.splice(0, complaints.length, ...complaints.filter((word) => !word.includes("404")));
  await main.getByRole("link", { name: /^Incident \d+$/ }).click();
  await expect(page).toHaveURL(new RegExp(`${incident}\\?tab=review`));
  await expect(main.getByText("The review is complete.")).toBeVisible();
});
