import { expect, it } from "vitest";
import { HEATS, heatOf, placeAfter } from "./heat";

it.each([
  [0, 50, 0],
  [1, 1, HEATS],
  [1, 1_000, 1],
  [40, 1_000, 2],
  [1_000, 1_000, HEATS],
])("%d of at most %d is as dark as %d (EXC-6)", (count, most, heat) => {
  expect(heatOf(count, most)).toBe(heat);
});

it.each([
  ["ArrowUp", false, { row: 0, column: 1 }],
  ["ArrowDown", false, { row: 2, column: 1 }],
  ["ArrowLeft", false, { row: 1, column: 0 }],
  ["ArrowRight", false, { row: 1, column: 1 }],
  ["Home", false, { row: 1, column: 0 }],
  ["End", true, { row: 2, column: 1 }],
  ["Home", true, { row: 0, column: 0 }],
  ["x", false, null],
] as const)("%s (far: %s) leads from the middle to %j and never out of the board (EXC-6)", (key, isFar, place) => {
  expect(placeAfter(key, isFar, { row: 1, column: 1 }, { rows: 3, columns: 2 })).toEqual(place);
});
