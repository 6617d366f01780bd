import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "@/db/testing/property";
import { type BoardCell, judgeBoard } from "./blame";

/** Lines of `worker code count`, as an hour of failures was recorded. */
const recorded = (text: string): readonly BoardCell[] =>
  text
    .trim()
    .split(/\s*;\s*/)
    .filter((line) => line !== "")
    .map((line) => {
      const [worker = "", code = "", count = ""] = line.split(" ");
      return { worker, code, count: Number(count) };
    });

const said = (cells: readonly BoardCell[], live: number): string => {
  const verdict = judgeBoard(cells, live);
  if (verdict.kind !== "told") return verdict.kind;
  return verdict.blames
    .map((blame) => (blame.kind === "job" ? `job ${blame.code} on ${blame.workers}` : `worker ${blame.worker} with ${blame.codes}`))
    .join(", ");
};

describe("the job or the worker", () => {
  it.each([
    ["one code on many workers is the job's", "a STOCK_1 7; b STOCK_1 9; c STOCK_1 4", 4, "job STOCK_1 on 3"],
    ["many codes on one worker are the worker's", "a DISK_1 4; a OOM_137 3; a SPAWN_1 2", 4, "worker a with 3"],
    ["both at once are told apart", "a X_1 5; b X_1 6; c X_1 7; b DISK_1 4; b OOM_137 3; b SPAWN_1 2", 3, "job X_1 on 3, worker b with 3"],
    ["a job's code does not make its workers sick", "a X_1 9; b X_1 9; c X_1 9; a P_1 1; a Q_1 1", 3, "job X_1 on 3"],
    ["one code on one worker is neither", "a X_1 40", 4, "apart"],
    ["a code that one worker has nearly alone is not the job's", "a X_1 90; b X_1 1; c X_1 1", 4, "apart"],
    ["codes that others have too are not the worker's", "a X_1 3; b X_1 2; a Y_1 3; b Y_1 2; a Z_1 3; b Z_1 2", 5, "apart"],
    ["where two workers are all there is, a code on both is the job's", "a X_1 4; b X_1 5", 2, "job X_1 on 2"],
    ["two of many workers are not many", "a X_1 4; b X_1 5", 8, "apart"],
    ["one worker alone cannot be told from its jobs", "a X_1 9; a Y_1 9; a Z_1 9", 1, "alone"],
    ["a handful of failures says nothing", "a X_1 2; b Y_1 2", 4, "quiet"],
    ["no failure says nothing", "", 4, "quiet"],
    [
      "two sick workers are both named, the worse first",
      "a P_1 2; a Q_1 2; a R_1 2; b S_1 5; b T_1 5; b U_1 5",
      6,
      "worker b with 3, worker a with 3",
    ],
  ])("%s (EXC-6)", (_what, series, live, verdict) => {
    expect(said(recorded(series), live)).toBe(verdict);
  });

  it("a job is never named for one worker, a worker never for a job's code, and no name changes the verdict (EXC-6)", () => {
    const cell = fc.record({
      worker: fc.constantFrom("a", "b", "c", "d"),
      code: fc.constantFrom("P", "Q", "R", "S", "T"),
      count: fc.nat(30),
    });
    const cells = fc.uniqueArray(cell, { maxLength: 20, selector: ({ worker, code }) => worker + code });
    fc.assert(
      fc.property(cells, fc.integer({ min: 0, max: 6 }), (list, live) => {
        const verdict = judgeBoard(list, live);
        expect(
          said([...list].reverse(), live)
            .split(", ")
            .sort(),
        ).toEqual(said(list, live).split(", ").sort());
        if (verdict.kind !== "told") return;
        for (const blame of verdict.blames) {
          const own = list.filter(
            (each) => each.count > 0 && (blame.kind === "job" ? each.code === blame.code : each.worker === blame.worker),
          );
          expect(blame.kind === "job" ? own.length : new Set(own.map(({ code }) => code)).size).toBeGreaterThanOrEqual(2);
          expect(blame.count).toBeLessThanOrEqual(own.reduce((all, { count }) => all + count, 0));
        }
      }),
      runs(1_000),
    );
  });
});
