import { expect, type Locator, type Page } from "@playwright/test";

/** The editor of one pipeline, on its canvas, used as a person does: by dragging, by keys and by its buttons. */
export class Drawing {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  card(key: string): Locator {
    return this.#page.locator(`[data-node="${key}"]`);
  }

  async toCanvas(): Promise<void> {
    await this.#page.getByRole("radio", { name: "Canvas" }).click();
    await expect(this.#canvas).toBeVisible();
  }

  /** Drags a type from the palette to a place on the canvas. */
  async drop(type: string, at: { x: number; y: number }): Promise<void> {
    const before = await this.#cards.count();
    const palette = this.#page.getByRole("complementary", { name: "Add a node" });
    await palette.getByRole("button", { name: type }).dragTo(this.#canvas, { targetPosition: at });
    await expect(this.#cards).toHaveCount(before + 1);
  }

  /** `n`, and the type from the list that it opens; the new node comes after the named one. */
  async addByKey(type: string, after: string): Promise<void> {
    await this.card(after).click();
    await this.#page.keyboard.press("n");
    const dialog = this.#page.getByRole("dialog", { name: `Add a node after ${after}` });
    await dialog.getByRole("combobox").fill(type);
    await this.#page.keyboard.press("Enter");
    await expect(dialog).toBeHidden();
  }

  /** A line from the right end of one card to the left end of the other. */
  async connect(from: string, to: string): Promise<void> {
    const lines = this.#page.locator(".react-flow__edge");
    const before = await lines.count();
    await this.card(from).locator(".react-flow__handle.source").hover();
    await this.#page.mouse.down();
    await this.card(to).locator(".react-flow__handle.target").hover();
    await this.#page.mouse.up();
    await expect(lines).toHaveCount(before + 1);
  }

  async isSaved(): Promise<void> {
    await expect(this.#page.getByRole("status").filter({ hasText: /^Saved/ })).toBeVisible();
  }

  async publish(message: string, version: number): Promise<void> {
    await this.#page.getByRole("button", { name: /^Publish/ }).click();
    const dialog = this.#page.getByRole("dialog");
    await dialog.getByLabel("What changes, and why").fill(message);
    await dialog.getByRole("button", { name: "Publish" }).click();
    await expect(this.#page.getByText(`Version ${version} is live`)).toBeVisible();
  }

  get #canvas(): Locator {
    return this.#page.locator(".react-flow__pane");
  }

  get #cards(): Locator {
    return this.#page.locator("[data-node]");
  }
}
