import { describe, expect, it } from "vitest";
import { isFiltered, matches, ownersOf, type PipelineFilters, readFilters, readSort, sortAddress, sorted } from "./pipeline-filters";

const run = (state: "SUCCESS" | "PAUSED" | "RUNNING") => ({ id: "r", state, createdAt: new Date(0), startedAt: null, endedAt: null });
const row = { owner: "data", lastRun: run("SUCCESS"), enabled: true, draftDiffers: false, liveVersionNo: 1, nextFireAt: new Date(0) };
const any: PipelineFilters = { search: "", owner: null, last: null, standing: null };

describe("filters of the inventory (INV-2)", () => {
  it("an address with what nobody knows is read as one without it", () => {
    const read = (name: string) => ({ q: "orders", last: "exploded", show: "draft", owner: "" })[name] ?? "";
    expect(readFilters(read)).toEqual({ search: "orders", owner: null, last: null, standing: "draft" });
    expect(isFiltered(readFilters(() => ""))).toBe(false);
  });

  it("a paused last run is broken, one under way is neither broken nor well", () => {
    expect(matches({ ...row, lastRun: run("PAUSED") }, { ...any, last: "broken" })).toBe(true);
    expect(matches({ ...row, lastRun: run("RUNNING") }, { ...any, last: "broken" })).toBe(false);
    expect(matches({ ...row, lastRun: run("RUNNING") }, { ...any, last: "well" })).toBe(false);
    expect(matches({ ...row, lastRun: null }, { ...any, last: "never" })).toBe(true);
  });

  it("a draft is what differs from the live version, or has none", () => {
    expect(matches(row, { ...any, standing: "draft" })).toBe(false);
    expect(matches({ ...row, liveVersionNo: null }, { ...any, standing: "draft" })).toBe(true);
    expect(matches({ ...row, draftDiffers: true }, { ...any, standing: "draft" })).toBe(true);
  });

  it("every owner is offered once, in order", () => {
    expect(ownersOf([{ owner: "b" }, { owner: "a" }, { owner: "b" }])).toEqual(["a", "b"]);
  });
});

describe("the order of the inventory (INV-1)", () => {
  const of = (title: string, change: object) => ({ ...row, title, updatedAt: new Date(0), ...change });
  const rows = [
    of("b", { nextFireAt: null }),
    of("a", { nextFireAt: null }),
    of("c", { nextFireAt: new Date(5), lastRun: run("PAUSED") }),
    of("d", { nextFireAt: new Date(2), updatedAt: new Date(9) }),
  ];
  const order = (text: string) =>
    sorted(rows, readSort(text))
      .map(({ title }) => title)
      .join("");

  it.each([
    ["", "abcd"],
    ["-name", "dcba"],
    ["next", "dcab"],
    ["state", "cabd"],
    ["changed", "dabc"],
    ["nonsense", "abcd"],
  ])("%j gives %s", (text, titles) => {
    expect(order(text)).toBe(titles);
  });

  it("its address leads back to it, and the usual order needs none", () => {
    expect(readSort(sortAddress({ key: "next", down: true }))).toEqual({ key: "next", down: true });
    expect(sortAddress(readSort(""))).toBe("");
  });
});
