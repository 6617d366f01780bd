import { describe, expect, it } from "vitest";
import { addOlder, letIn, noRows, takeLook } from "./fresh-rows";
import { sharesOf, totalsOf } from "./node-counts";
import { isFiltered, readFilters, toggled, writeFilters } from "./run-filters";

const row = (id: string, state = "RUNNING") => ({ id, state });
const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id).join("");

describe("rows that never jump (OBS-5)", () => {
  const before = takeLook(noRows<ReturnType<typeof row>>(), [row("c"), row("b"), row("a")]);

  it("a new row waits above while those in sight change where they stand", () => {
    const after = takeLook(before, [row("d"), row("c", "SUCCESS"), row("b")]);
    expect(ids(after.shown)).toBe("cba");
    expect(after.shown[0]?.state).toBe("SUCCESS");
    expect(ids(after.waiting)).toBe("d");
  });

  it("what waits is counted once, and comes in on demand", () => {
    const after = takeLook(takeLook(before, [row("d"), row("c")]), [row("e"), row("d", "PAUSED")]);
    expect(ids(after.waiting)).toBe("ed");
    const open = letIn(after);
    expect(ids(open.shown)).toBe("edcba");
    expect(open.shown[1]?.state).toBe("PAUSED");
    expect(open.waiting).toEqual([]);
  });

  it("more new rows than one look holds leave no hole: the list begins anew with them", () => {
    const flooded = takeLook(takeLook(before, [row("d"), row("c")]), [row("i"), row("h"), row("g")]);
    expect(flooded.broken).toBe(true);
    expect(ids(letIn(flooded).shown)).toBe("ihg");
    expect(ids(letIn(takeLook(flooded, [row("j"), row("i")])).shown)).toBe("jihg");
    expect(takeLook(before, [row("d"), row("c")]).broken).toBe(false);
  });

  it("an older page goes to the end, each row once, and older rows in a look are no news", () => {
    const longer = addOlder(before, [row("a"), row("Z")]);
    expect(ids(longer.shown)).toBe("cbaZ");
    expect(takeLook(before, [row("c"), row("B")]).waiting).toEqual([]);
  });
});

describe("filters in the address (OBS-5)", () => {
  it("are read as they are written", () => {
    const filters = { states: ["FAILED", "PAUSED"], pipeline: "orders-daily", triggers: ["schedule"] } as const;
    const text = writeFilters(filters);
    expect(text).toBe("?state=failed,paused&pipeline=orders-daily&trigger=schedule");
    expect(readFilters(new URLSearchParams(text))).toEqual({ ...filters, states: ["PAUSED", "FAILED"] });
  });

  it("what nobody knows is passed over, and all of a kind is no filter", () => {
    const odd = readFilters(new URLSearchParams("state=burning,&trigger=&pipeline=%20"));
    expect(odd).toEqual({ states: [], pipeline: null, triggers: [] });
    expect(isFiltered(odd)).toBe(false);
    expect(readFilters(new URLSearchParams("trigger=schedule,manual,api,rerun")).triggers).toEqual([]);
    expect(writeFilters(odd)).toBe("");
  });

  it("a value is taken out or put in", () => {
    expect(toggled(["a"], "b")).toEqual(["a", "b"]);
    expect(toggled(["a", "b"], "a")).toEqual(["b"]);
  });
});

it("the strip of a run counts done against all, and leaves out what is not there", () => {
  const counts = { SUCCESS: 2, PENDING: 1, FAILED: 1, SKIPPED: 1 };
  expect(sharesOf(counts).map(({ state, count }) => `${state} ${count}`)).toEqual(["SUCCESS 2", "FAILED 1", "SKIPPED 1", "PENDING 1"]);
  expect(totalsOf(counts)).toEqual({ done: 3, all: 5 });
});
