import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const FLOORS = /^(app|server|db|workers|e2e|docs)\/[\w./()[\]-]+$/;

const atRoot = readdirSync(root).filter((name) => name.endsWith(".md"));
const inDocs = readdirSync(join(root, "docs"), { recursive: true })
  .map((name) => join("docs", String(name)))
  .filter((name) => name.endsWith(".md"));

/** Files that a document speaks of: links relative to it, and names in backticks that start at a floor. */
function named(document) {
  const text = readFileSync(join(root, document), "utf8");
  const links = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map(([, link]) => normalize(join(dirname(document), link)));
  const inTicks = [...text.matchAll(/`([^`\n]+)`/g)].map(([, name]) => name).filter((name) => FLOORS.test(name));
  return [...links, ...inTicks];
}

describe("documents", () => {
  it.each([...atRoot, ...inDocs])("%s names no file that is gone", (document) => {
    expect(named(document).filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it("would notice one: the reader finds links and names", () => {
    expect(named("CONTRIBUTING.md")).toEqual(expect.arrayContaining(["docs/architecture.md", "server/domain", ".dependency-cruiser.cjs"]));
  });
});
