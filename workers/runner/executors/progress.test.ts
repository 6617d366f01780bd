import { expect, test } from "vitest";
import { Progress } from "./progress";

const told: string[] = [];
let nowMs = 0;
const open = () => {
  told.length = 0;
  nowMs = 0;
  return new Progress(
    (text) => told.push(text),
    () => nowMs,
  );
};

test.each([1, Number.NaN, 2, -1, null, 0.5])("progress(%s) in a loop makes a line a second and no more (B85)", (done) => {
  const progress = open();
  for (; nowMs < 3_000; nowMs++) progress.report(done, null);
  expect(told).toHaveLength(3);
  progress.end();
  expect(told).toHaveLength(4);
});

test("the last word is told when the task ends, once, also within the second (OBS-2)", () => {
  const progress = open();
  for (const done of [0.1, 0.5, 1]) progress.report(done, `step ${done}`);
  progress.end();
  progress.end();
  expect(told).toEqual(["progress 10 % step 0.1", "progress 100 % step 1"]);
});

test("what is no number is told without one (OBS-2)", () => {
  const progress = open();
  progress.report(null, "working");
  expect(told).toEqual(["progress working"]);
});
