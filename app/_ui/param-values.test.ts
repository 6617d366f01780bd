import { describe, expect, it } from "vitest";
import { draftOf, type ParamDefinitions, readDraft } from "./param-values";

const definitions: ParamDefinitions = {
  day: { type: "date" },
  limit: { type: "integer", default: 100, min: 1, max: 1000 },
  dryRun: { type: "boolean", default: true },
  region: { type: "enum", values: ["eu", "us"], default: "eu" },
  options: { type: "object", required: false },
  note: { type: "string", required: false },
};

const problems = (draft: Record<string, string | boolean>) => {
  const read = readDraft(definitions, { ...draftOf(definitions), ...draft });
  return read.ok ? [] : read.problems.map(({ name, code }) => `${name} ${code}`);
};

describe("the form of a run's parameters (PIP-8)", () => {
  it("begins with the defaults, or with the values of the run that is repeated", () => {
    expect(draftOf(definitions)).toEqual({ day: "", limit: "100", dryRun: true, region: "eu", options: "", note: "" });
    expect(draftOf(definitions, { day: "2026-03-01", dryRun: false, options: { a: 1 } })).toMatchObject({
      day: "2026-03-01",
      dryRun: false,
      options: '{\n  "a": 1\n}',
    });
  });

  it("sends each value in its type and leaves out what is empty", () => {
    const draft = { ...draftOf(definitions), day: "2026-03-01", limit: " 250 ", options: '{"deep":[1]}' };
    expect(readDraft(definitions, draft)).toEqual({
      ok: true,
      values: { day: "2026-03-01", limit: 250, dryRun: true, region: "eu", options: { deep: [1] } },
    });
  });

  it.each([
    [{}, ["day required"]],
    [{ day: "2026-02-30" }, ["day not_a_date"]],
    [{ day: "2026-02-28", limit: "many" }, ["limit not_a_number"]],
    [{ day: "2026-02-28", limit: "1.5" }, ["limit invalid_type"]],
    [{ day: "2026-02-28", limit: "5000" }, ["limit too_big"]],
    [{ day: "2026-02-28", options: "{" }, ["options not_json"]],
    [{ day: "2026-02-28", options: "[1]" }, ["options invalid_type"]],
    [{ day: "2026-02-28", region: "mars" }, ["region not_a_choice"]],
  ] as const)("%j is told at the field: %j", (draft, expected) => {
    expect(problems(draft)).toEqual(expected);
  });

  it("an emptied number takes its default on the server, an emptied text without a default is left out", () => {
    expect(readDraft(definitions, { ...draftOf(definitions), day: "2026-03-01", limit: "", note: "" })).toEqual({
      ok: true,
      values: { day: "2026-03-01", dryRun: true, region: "eu" },
    });
  });
});
