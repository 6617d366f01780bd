import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { NODE_STATES, RUN_STATES, UNHEALTHY_NODE_STATES } from "@/server/domain/run/states";

const read = (path: string) => readFileSync(fileURLToPath(new URL(path, import.meta.url)), "utf8");
const css = read("../globals.css");

/** The looks are read as text: their file draws SVG, which a test of plain data has no need to render. */
function looksIn(file: string): { state: string; glyph: string; token: string; unhealthy: boolean }[] {
  return [...read(file).matchAll(/^ {2}([A-Z_]+): \{ glyph: (\w+), token: "([\w-]+)",.* unhealthy: (true|false),/gm)].map(
    ([, state = "", glyph = "", token = "", unhealthy]) => ({ state, glyph, token, unhealthy: unhealthy === "true" }),
  );
}

const lists = [
  { file: "./node-states.ts", states: NODE_STATES, words: "node" },
  { file: "./run-states.ts", states: RUN_STATES, words: "run" },
] as const;

describe.each(lists)("looks in $file (RUN-1)", ({ file, states, words }) => {
  const looks = looksIn(file);

  it("every state of the list has one", () => {
    expect(looks.map((look) => look.state).sort()).toEqual([...states].sort());
  });

  it("no two states share a glyph, so that none is told by colour alone (ALT-7)", () => {
    expect(new Set(looks.map((look) => look.glyph)).size).toBe(states.length);
  });

  it("each colour is a token with a light and a dark value", () => {
    for (const { token } of looks) expect(css).toMatch(new RegExp(`--${token}: light-dark\\(`));
  });

  it.each(["en", "zh-CN"])("each has a word and a hint in %s (ECO-2)", (locale) => {
    const status = JSON.parse(read(`../_words/${locale}/status.json`));
    for (const state of states) {
      expect(status[words][state], state).toMatch(/\S/);
      expect(status.hint[state], state).toMatch(/\S/);
    }
  });
});

it("what is drawn as unhealthy is what the failure rate counts (ALT-7)", () => {
  const drawn = looksIn("./node-states.ts").filter((look) => look.unhealthy);
  expect(drawn.map((look) => look.state).sort()).toEqual([...UNHEALTHY_NODE_STATES].sort());
});
