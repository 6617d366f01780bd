import { expect, it } from "vitest";
import { Silence } from "./silence.mjs";

it("a web that lives and does not answer is ended after its time, and once for each such time", () => {
  const silence = new Silence(30_000);
  const seen = [0, 10_000, 29_999, 30_000, 35_000, 59_999, 60_000].map((nowMs) => silence.isTooLong({ answered: false, pid: 7 }, nowMs));
  expect(seen).toEqual([false, false, false, true, false, false, true]);
});

it("an answer, or a new process, has its whole time again", () => {
  const silence = new Silence(30_000);
  expect(silence.isTooLong({ answered: false, pid: 7 }, 0)).toBe(false);
  expect(silence.isTooLong({ answered: true, pid: 7 }, 29_000)).toBe(false);
  expect(silence.isTooLong({ answered: false, pid: 7 }, 58_000)).toBe(false);
  expect(silence.isTooLong({ answered: false, pid: 8 }, 59_500)).toBe(false);
  expect(silence.isTooLong({ answered: false, pid: 8 }, 89_000)).toBe(false);
  expect(silence.isTooLong({ answered: false, pid: 8 }, 89_500)).toBe(true);
});
