import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "@/db/testing/property";
import { type AttemptEnd, FAILURES_IN_A_ROW, findTrip, isOutOfMemory, OOM_APART_MS, OOM_WINDOW_MS } from "./trip";

const START = Date.parse("2026-03-01T02:00:00Z");
const OOM = "APOLLO_WORKER_OOM_137";
const OTHER = "ORDER_INVENTORY_SHORTAGE_409";

/** `0 oom, 40 ok`: seconds after two at night, and how the attempt ended. */
function recorded(text: string): readonly AttemptEnd[] {
  return text.split(",").map((each) => {
    const [seconds, end] = each.trim().split(" ");
    return {
      at: new Date(START + Number(seconds) * 1_000),
      code: end === "ok" ? null : end === "oom" ? OOM : end === "lost" ? "APOLLO_WORKER_LOST_503" : OTHER,
    };
  });
}
const failing = (count: number, everyS: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `${from + index * everyS} bad`).join(", ");

describe("what takes a worker out", () => {
  it.each([
    ["three kills, each 30 s after the other", "0 oom, 30 oom, 60 oom", "oom at 60"],
    ["three kills a second too close are two", "0 oom, 30 oom, 59 oom", "stays"],
    ["a burst of ten kills within 30 s is one fault", "0 oom, 1 oom, 2 oom, 3 oom, 4 oom, 8 oom, 15 oom, 29 oom", "stays"],
    ["two bursts are two faults", "0 oom, 3 oom, 9 oom, 200 oom, 204 oom, 210 oom", "stays"],
    ["the third burst opens it with its first kill", "0 oom, 3 oom, 200 oom, 204 oom, 400 oom, 401 oom", "oom at 400"],
    ["three kills within ten minutes to the second", "0 oom, 300 oom, 600 oom", "oom at 600"],
    ["three kills in more than ten minutes", "0 oom, 300 oom, 601 oom", "stays"],
    ["one an hour for a day", Array.from({ length: 8 }, (_, hour) => `${hour * 3600} oom, ${hour * 3600 + 9} ok`).join(", "), "stays"],
    ["successes between kills take none of them back", "0 oom, 5 ok, 100 oom, 105 ok, 200 oom", "oom at 200"],
    ["a later kill of a burst may be the one that counts", "0 oom, 20 oom, 300 oom, 610 oom", "oom at 610"],
    ["ten failures in a row", failing(10, 1), "row at 9"],
    ["nine failures in a row", failing(9, 1), "stays"],
    ["nine, a success of any node, and nine more", `${failing(9, 1)}, 9 ok, ${failing(9, 1, 10)}`, "stays"],
    ["ten in a row over half a day", failing(10, 4_000), "row at 36000"],
    [
      "a worker that dies with sixteen attempts has failed once",
      `${Array.from({ length: 16 }, (_, n) => `${n} lost`).join(", ")}`,
      "stays",
    ],
    ["a death counts in the row, as one failure", `0 lost, 1 lost, 2 lost, ${failing(8, 1, 3)}`, "stays"],
    [
      "ten deaths, one after the other",
      Array.from({ length: 10 }, (_, n) => `${n * 60} lost, ${n * 60 + 1} lost`).join(", "),
      "row at 540",
    ],
    ["kills count in the row as well", `${failing(7, 1)}, 7 oom, 8 oom, 9 oom`, "row at 9"],
  ])("%s (EXC-6)", (_what, series, verdict) => {
    const trip = findTrip(recorded(series));
    const last = trip?.ends.at(-1)?.at.getTime() ?? 0;
    expect(trip ? `${trip.cause} at ${(last - START) / 1_000}` : "stays").toBe(verdict);
  });

  it.each([
    [OOM, true],
    ["ETL_SPARK_OOM_KILLED_9", true],
    ["SHOP_ZOOM_1", false],
    ["OOM_1", false],
    ["SHOP_BLOOM_FILTER_500", false],
  ])("%s is a kill for memory: %s (EXC-6)", (code, is) => {
    expect(isOutOfMemory(code)).toBe(is);
  });
});

const ends = fc
  .array(fc.record({ gapS: fc.integer({ min: 0, max: 120 }), code: fc.constantFrom(null, OOM, OTHER) }), { maxLength: 40 })
  .map((list) => {
    let atMs = START;
    return list.map(({ gapS, code }): AttemptEnd => {
      atMs += gapS * 1_000;
      return { at: new Date(atMs), code };
    });
  });

/** Every choice of three kills, and every ten ends side by side: slow, and plainly what the rule says. */
function tripsNaively(list: readonly AttemptEnd[]): boolean {
  const kills = list.filter(({ code }) => code === OOM).map(({ at }) => at.getTime());
  const apart = kills.some((a, i) =>
    kills.some((b, j) => kills.some((c, k) => i < j && j < k && b - a >= OOM_APART_MS && c - b >= OOM_APART_MS && c - a <= OOM_WINDOW_MS)),
  );
  const inARow = list.some(
    (_, from) => from + FAILURES_IN_A_ROW <= list.length && list.slice(from, from + FAILURES_IN_A_ROW).every(({ code }) => code !== null),
  );
  return apart || inARow;
}

it("any series opens it exactly when some three kills or some ten ends fulfil the rule (EXC-6)", () => {
  fc.assert(
    fc.property(ends, (list) => {
      expect(findTrip(list) !== null).toBe(tripsNaively(list));
    }),
    runs(2_000),
  );
});

it("what opened it is told, and would open it alone; nothing before its end would have (EXC-6)", () => {
  fc.assert(
    fc.property(ends, (list) => {
      const trip = findTrip(list);
      if (!trip) return;
      expect(findTrip(trip.ends)?.cause).toBe(trip.cause);
      const before = list.slice(0, list.indexOf(trip.ends.at(-1) ?? { at: new Date(0), code: null }));
      expect(findTrip(before)).toBeNull();
    }),
    runs(1_000),
  );
});
