import { describe, expect, it } from "vitest";
import { parseAnsi, plainText } from "./ansi";
import { markSpans, matchingLines, stepMatch } from "./log-search";
import { EMPTY_TAIL, joinPage, linesOf, logFile, nextAfter } from "./log-tail";

const ESC = "\u001b";
const chunk = (n: number, ...texts: string[]) => ({
  chunk: n,
  lines: texts.map((text) => ({ at: "2026-03-01T02:00:00.000Z", stream: "stdout" as const, text })),
});
const page = (chunks: ReturnType<typeof chunk>[], over: { ended?: boolean; olderExist?: boolean; truncated?: boolean } = {}) => ({
  chunks,
  olderExist: false,
  ended: false,
  truncated: false,
  bytes: 10,
  ...over,
});
const texts = (tail: Parameters<typeof linesOf>[0]) => linesOf(tail).map((line) => line.text);

describe("the live tail of a log (OBS-2)", () => {
  it("a chunk that is answered twice stands once", () => {
    const first = joinPage(EMPTY_TAIL, page([chunk(4, "a"), chunk(5, "b")], { olderExist: true }), "tail");
    const again = joinPage(first, page([chunk(5, "b"), chunk(6, "c")], { olderExist: true }), "after");
    expect(texts(again)).toEqual(["a", "b", "c"]);
    expect(nextAfter(again)).toBe(6);
  });

  it("nothing behind a gap is shown, and the gap is asked for again", () => {
    const tail = joinPage(EMPTY_TAIL, page([chunk(0, "a"), chunk(2, "c")]), "tail");
    expect(texts(tail)).toEqual(["a"]);
    expect(nextAfter(tail)).toBe(0);
    expect(texts(joinPage(tail, page([chunk(1, "b"), chunk(2, "c")]), "after"))).toEqual(["a", "b", "c"]);
  });

  it("when the attempt has ended, all that is there is shown", () => {
    expect(texts(joinPage(EMPTY_TAIL, page([chunk(0, "a"), chunk(2, "c")], { ended: true }), "tail"))).toEqual(["a", "c"]);
  });

  it("older chunks come before, and a look forward does not forget that still older ones exist", () => {
    const tail = joinPage(EMPTY_TAIL, page([chunk(8, "i")], { olderExist: true }), "tail");
    const after = joinPage(tail, page([chunk(9, "j")], { olderExist: false, ended: true }), "after");
    expect(after.olderExist).toBe(true);
    const before = joinPage(after, page([chunk(7, "h")], { olderExist: true }), "before");
    expect(texts(before)).toEqual(["h", "i", "j"]);
    expect(before.ended).toBe(true);
  });

  it("an empty log that waits asks from its beginning", () => {
    expect(nextAfter(joinPage(EMPTY_TAIL, page([]), "tail"))).toBe(-1);
  });

  it("an answer without news is the same window, so that nothing is drawn anew", () => {
    const tail = joinPage(EMPTY_TAIL, page([chunk(0, "a")]), "tail");
    expect(joinPage(tail, page([]), "after").chunks).toBe(tail.chunks);
  });

  it("the file has one line per line, and names the stream where it is not the usual one", () => {
    expect(
      logFile([
        { at: "T1", stream: "stdout", text: "hello" },
        { at: "T2", stream: "stderr", text: "ow" },
      ]),
    ).toBe("T1 hello\nT2 [stderr] ow\n");
  });
});

describe("colours of a terminal as text (OBS-2)", () => {
  const brief = (line: string) => parseAnsi(line).map(({ text, color, bold }) => [text, color, bold]);

  it("styles become spans and end where they are taken back", () => {
    expect(brief(`${ESC}[1;31mred${ESC}[0m plain ${ESC}[92mok${ESC}[39m.`)).toEqual([
      ["red", "red", true],
      [" plain ", null, false],
      ["ok", "green", false],
      [".", null, false],
    ]);
  });

  it("256 colours and true colours go to the nearest name and do not eat the codes behind them", () => {
    expect(brief(`${ESC}[38;5;196;1mx${ESC}[0;38;2;20;200;40my${ESC}[48;5;21mz`)).toEqual([
      ["x", "red", true],
      ["yz", "green", false],
    ]);
  });

  it.each([
    [`${ESC}[2K${ESC}[1Gdone`, "done"],
    [`${ESC}]8;;https://example.com${ESC}\\link${ESC}]8;;\u0007`, "link"],
    ["10%\r50%\r100%", "100%"],
    ["windows\r", "windows"],
    ["bell\u0007 nul\u0000", "bell nul"],
    [`cut off ${ESC}[3`, "cut off [3"],
    ["<script>alert(1)</script> &amp;", "<script>alert(1)</script> &amp;"],
  ])("%j leaves %j", (line, text) => {
    expect(
      parseAnsi(line)
        .map((span) => span.text)
        .join(""),
    ).toBe(text);
    expect(plainText(line)).toBe(text);
  });
});

describe("search in a log (OBS-2)", () => {
  it("finds lines whatever their case and colours", () => {
    const lines = [{ text: "Error one" }, { text: "fine" }, { text: `${ESC}[31mer${ESC}[0mror two` }];
    expect(matchingLines(lines, "ERROR")).toEqual([0, 2]);
    expect(matchingLines(lines, "")).toEqual([]);
  });

  it("marks a match that runs over a change of colour, and nothing else", () => {
    const marked = markSpans(parseAnsi(`an ${ESC}[31mer${ESC}[0mror, an error`), "error");
    expect(marked.map(({ text, found }) => [text, found])).toEqual([
      ["an ", false],
      ["er", true],
      ["ror", true],
      [", an ", false],
      ["error", true],
    ]);
  });

  it("goes round at the ends and stays nowhere without matches", () => {
    expect([stepMatch(3, 2, 1), stepMatch(3, 0, -1), stepMatch(0, -1, 1)]).toEqual([0, 2, -1]);
  });
});
