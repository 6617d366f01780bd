import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const css = readFileSync(fileURLToPath(new URL("../globals.css", import.meta.url)), "utf8");
const TOKENS = new Map(
  [...css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(([, name = "", light = "", dark = ""]) => [
    name,
    { light, dark },
  ]),
);

const channel = (hex: string, at: number) => {
  const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
};
const luminance = (hex: string) => 0.2126 * channel(hex, 1) + 0.7152 * channel(hex, 3) + 0.0722 * channel(hex, 5);

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function colorOf(name: string, theme: "light" | "dark"): string {
  const token = TOKENS.get(name);
  if (!token) throw new Error(`globals.css has no token --${name} with a light and a dark value`);
  return token[theme];
}

const GROUNDS = ["ground", "panel", "sunk", "raised", "hover"];
const STATES = [...TOKENS.keys()].filter((name) => name.startsWith("state-"));

describe.each(["light", "dark"] as const)("contrast in the %s theme (ECO-2, WCAG 2.2 AA)", (theme) => {
  it.each(["ink", "ink-2", "ink-3"])("text in %s reaches 4.5:1 on every ground", (ink) => {
    for (const ground of GROUNDS)
      expect(contrast(colorOf(ink, theme), colorOf(ground, theme)), `${ink} on ${ground}`).toBeGreaterThanOrEqual(4.5);
  });

  it("there is a colour for each state", () => {
    expect(STATES.length).toBeGreaterThanOrEqual(12);
  });

  it.each(STATES)("%s reaches 4.5:1 as a word on the page and 3:1 as a mark on every ground", (state) => {
    for (const ground of ["ground", "panel", "raised"]) {
      expect(contrast(colorOf(state, theme), colorOf(ground, theme)), `${state} on ${ground}`).toBeGreaterThanOrEqual(4.5);
    }
    for (const ground of [...GROUNDS, "selected"]) {
      expect(contrast(colorOf(state, theme), colorOf(ground, theme)), `${state} on ${ground}`).toBeGreaterThanOrEqual(3);
    }
  });

  it("the edge of a control reaches 3:1 against its fill and the page", () => {
    for (const ground of ["ground", "panel", "raised"]) {
      expect(contrast(colorOf("edge", theme), colorOf(ground, theme)), ground).toBeGreaterThanOrEqual(3);
    }
  });

  it("ink on its inverse, as on a primary button, reaches 4.5:1", () => {
    expect(contrast(colorOf("panel", theme), colorOf("ink", theme))).toBeGreaterThanOrEqual(4.5);
    expect(contrast(colorOf("panel", theme), colorOf("ink-2", theme))).toBeGreaterThanOrEqual(4.5);
    expect(contrast(colorOf("panel", theme), colorOf("state-failed", theme))).toBeGreaterThanOrEqual(4.5);
  });
});
