import fc from "fast-check";
import { expect, test } from "vitest";
import { textMask } from "@/server/domain/errors/mask-text";
import { LineCutter, MAX_LINE } from "./log-lines";

const cut = (parts: readonly (Buffer | string)[], secrets: string[] = []) => {
  const cutter = new LineCutter(textMask(secrets));
  return [...parts.flatMap((part) => cutter.push(part)), ...cutter.end()];
};

test("lines come out the same however the bytes were cut on their way (OBS-2)", () => {
  const text = fc.array(
    fc.string({ unit: "grapheme", maxLength: 30 }).map((line) => line.replace(/[\n\r\u0000]/g, "")),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(text, fc.array(fc.nat(40), { maxLength: 12 }), (lines, cuts) => {
      const whole = Buffer.from(lines.map((line) => `${line}\n`).join(""));
      const parts: Buffer[] = [];
      let at = 0;
      for (const length of cuts) {
        parts.push(whole.subarray(at, at + length));
        at += length;
      }
      parts.push(whole.subarray(at));
      expect(cut(parts)).toEqual(lines);
    }),
  );
});

test("a NUL and half a character are shown, colours and tabs stay, a carriage return at the end goes (B78)", () => {
  expect(cut(["a\u0000b\r\n", Buffer.from([0xff, 0x0a]), "\u001b[31mred\u001b[0m\t\n", "\ud800\n"])).toEqual([
    "a\u2400b",
    "\ufffd",
    "\u001b[31mred\u001b[0m\t",
    "\ufffd",
  ]);
});

test("a line of 50 MB becomes pieces, none longer than the limit and none inside a character (B85)", () => {
  const lines = cut(Array.from({ length: 50 }, () => "😀".repeat(500_000)));
  expect(lines.every((line) => line.length <= MAX_LINE && !/\p{Surrogate}/u.test(line))).toBe(true);
  expect(lines.join("").length).toBe(50_000_000);
});

test("a secret that lies across a cut is masked in both ways of cutting (SEC-1)", () => {
  const secret = "canary-0123456789";
  for (const lead of [MAX_LINE - 8, MAX_LINE - secret.length, MAX_LINE - 1]) {
    const endless = cut(["x".repeat(lead), secret.slice(0, 5), secret.slice(5), "y".repeat(MAX_LINE * 2)], [secret]);
    expect(endless.join("")).toBe(`${"x".repeat(lead)}***${"y".repeat(MAX_LINE * 2)}`);
    const line = cut([`${"x".repeat(lead)}${secret}${"y".repeat(MAX_LINE)}\n`], [secret]);
    expect(line.join("")).toBe(`${"x".repeat(lead)}***${"y".repeat(MAX_LINE)}`);
  }
});

test("a private key over several blocks of a log is masked whole, and what follows it is not (EXC-2, B100)", () => {
  const body = ["MIIEpAIBAAKCAQEA7bq1x9Yw3vJkP0sT8uZrQmLnXcVbHgFd", "SaPoIuYtReWqZxCvBnMlKjHgFdSaQwErTyUiOpLkJhGfDs", "Zm9vYmFy"];
  const key = ["-----BEGIN RSA PRIVATE KEY-----", ...body, "-----END RSA PRIVATE KEY-----"];
  expect(cut([...["before", ...key, "after"].map((line) => `${line}\n`)])).toEqual(["before", "***", "after"]);
  const died = cut(["before\n", ...key.slice(0, 3).map((line) => `${line}\n`)]).join("\n");
  for (const line of body.slice(0, 2)) expect(died).not.toContain(line);
  expect(
    cut(["-----BEGIN PRIVATE KEY----- is how a key begins\n", ...Array.from({ length: 900 }, (_, no) => `an ordinary line ${no}\n`)]),
  ).toHaveLength(901);
});

test("a secret that is split over two lines is masked, in one block of a log and in two (B101)", () => {
  const secret = "canary-0123456789abcdef";
  for (let at = 2; at < secret.length; at++) {
    const parts = [`x ${secret.slice(0, at)}\n`, `${secret.slice(at)} y\n`];
    expect(cut(parts, [secret]).join("\n")).toBe("x *** y");
    expect(cut([parts.join("")], [secret]).join("\n")).toBe("x *** y");
  }
});

test("a line that ends like the beginning of a secret waits for the next, and is not lost (B101)", () => {
  expect(cut(["of ca\n", "other\n"], ["canary-0123456789"])).toEqual(["of ca", "other"]);
  expect(cut(["of ca\n"], ["canary-0123456789"])).toEqual(["of ca"]);
});

test("a token that goes on over the cut of an endless line is hidden on both sides of it (EXC-2)", () => {
  const token = `eyJhbGciOiJIUzI1NiJ9.${"aB3".repeat(40)}.${"cD4".repeat(40)}`;
  for (const lead of [MAX_LINE - 10, MAX_LINE + 500, MAX_LINE + 2_040]) {
    const parts = [`${"x".repeat(lead)} ${token.slice(0, 60)}`, token.slice(60), ` ${"y".repeat(MAX_LINE * 2)}\n`];
    expect(cut(parts).join("")).toBe(`${"x".repeat(lead)} *** ${"y".repeat(MAX_LINE * 2)}`);
  }
});
