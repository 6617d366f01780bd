import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isBankCard, isChineseIdentity } from "./by-look";
import { maskTree, textMask } from "./mask-text";

const mask = textMask([]);
/** Put together here, so that no scanner of this repository takes them for real ones. */
const token = (prefix: string, length: number) => prefix + "a1B2c3D4e5F6g7H8i9J0".repeat(10).slice(0, length);

test.each([
  "13800138000",
  "138 0013 8000",
  "138-0013-8000",
  "138.0013.8000",
  "+8613800138000",
  "+86 138-0013-8000",
  "008619912345678",
  "%2B8613800138000",
  "+14155552671",
  "+1 (415) 555-2671",
  "+44 20 7946 0958",
])("a phone number %s is masked (EXC-2)", (phone) => {
  expect(mask(`cannot reach ${phone}, again`)).toBe("cannot reach ***, again");
  expect(mask(`{"phone":"${phone}"}`)).toBe('{"phone":"***"}');
  expect(mask(`客户手机${phone}无法接通`)).toBe("客户手机***无法接通");
});

test.each(["110101199003077758", "11010119900307775X", "440524188001010014"].filter((text) => isChineseIdentity(text)))(
  "an identity number %s is masked (EXC-2)",
  (number) => {
    expect(mask(`身份证${number}已存在`)).toBe("身份证***已存在");
  },
);

test("an identity number of fifteen digits is one by its province and day (EXC-2)", () => {
  expect(mask("id 110105491231002, no 110105491331002, no 990105491231002, no 110105490229002")).toBe(
    "id ***, no 110105491331002, no 990105491231002, no 110105490229002",
  );
  expect(isChineseIdentity("110101190002290012")).toBe(false);
});

test("an identity number is one by its check digit, province and day: any other is an ordinary number (EXC-2)", () => {
  expect(isChineseIdentity("440524188001010014")).toBe(true);
  expect(isChineseIdentity("11010519491231002X")).toBe(true);
  expect(isChineseIdentity("440524188001010015")).toBe(false);
  expect(isChineseIdentity("990524188001010014")).toBe(false);
  expect(mask("id 11010519491231002x, no 440524188001010015")).toBe("id ***, no 440524188001010015");
});

test.each(["4111111111111111", "4111 1111 1111 1111", "5555-5555-5555-4444", "378282246310005", "3782 822463 10005", "6212345678901232"])(
  "a bank card %s is masked (EXC-2)",
  (card) => {
    expect(mask(`card=${card};`)).toBe("card=***;");
  },
);

test("a number that fails the check of Luhn or is in no issuer's range is no card (EXC-2)", () => {
  expect(isBankCard("4111111111111112")).toBe(false);
  expect(isBankCard("1711111111111111")).toBe(false);
});

test.each(["ann.lee+tag@example.org", "wang@mail.example.com.cn", "ann%40example.org"])(
  "an e-mail address %s is masked (EXC-2)",
  (address) => {
    expect(mask(`to <${address}>: refused`)).toBe("to <***>: refused");
  },
);

test.each([
  token("ghp_", 36),
  token("github_pat_", 60),
  token("glpat-", 20),
  token("xoxb-", 40),
  `AKIA${"ABCDEFGH234567QR"}`,
  token("LTAI", 20),
  token("sk_live_", 24),
  token("sk-proj-", 48),
  token("AIza", 35),
  token("npm_", 36),
  token("hf_", 34),
  `apollo_${"0123456789abcdef".repeat(4)}`,
  `${token("eyJ", 20)}.${token("eyJ", 30)}.${token("", 40)}`,
])("a token that tells itself by its look is masked: %s (EXC-2)", (secret) => {
  expect(mask(`refused: ${secret} is over`)).toBe("refused: *** is over");
});

test("a private key is masked whole, however many lines it has (EXC-2)", () => {
  const key = ["-----BEGIN RSA PRIVATE KEY-----", token("", 64), token("", 30), "-----END RSA PRIVATE KEY-----"].join("\n");
  expect(mask(`read\n${key}\ndone`)).toBe("read\n***\ndone");
});

describe("what only looks alike stays readable (EXC-2)", () => {
  test.each([
    ["a time in seconds and milliseconds", "at 1767225600, 1767225600123, 1767225600123456 and 1767225600123456789"],
    ["a time in digits", "20260301120000 20260301120000123 20260301"],
    ["an ISO time", "2026-03-01T12:00:00.123456789+08:00"],
    ["an order number", "SO13800138000A ORD20260301000123 7615917337495251231 202603011234567890"],
    ["a short number", "1380013800 order 4711"],
    ["a UUID", "01980c2e-1380-7000-8000-138001380001 4111111a-1111-4111-8111-111111111111"],
    ["a hash", "sha256:9f13800138000e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
    ["a fraction", "0.13800138000 and 13800138000.25"],
    ["an address in a network", "10.13.80.13:8000 [2001:db8::1380:138]:443"],
    ["a package and a path", "node_modules/@scope/name@1.2.3/dist/index.js:138:13"],
    ["a host with a user, which tells where", "ssh://deploy@host.internal:22 git@host"],
    ["an ordinary sentence", "sk-lib, hf_model, basic needs, the bearer of news, ghp_short"],
  ])("%s", (_, text) => {
    expect(mask(text)).toBe(text);
  });

  test("any UUID, any time of these decades and any SHA-256", () => {
    const readable = fc.oneof(
      fc.uuid(),
      fc.date({ min: new Date("2010-01-01"), max: new Date("2060-01-01"), noInvalidDate: true }).map((at) => at.toISOString()),
      fc.integer({ min: 1_262_304_000_000, max: 2_840_140_800_000 }).map(String),
      fc.stringMatching(/^[0-9a-f]{64}$/),
    );
    fc.assert(
      fc.property(readable, (text) => {
        expect(mask(`x ${text} y`)).toBe(`x ${text} y`);
      }),
    );
  });
});

test("any number of a mobile phone in mainland China is masked, wherever it stands in a tree (EXC-2)", () => {
  const phone = fc.stringMatching(/^1(?:3\d|5[0-35-9]|8\d)\d{8}$/);
  fc.assert(
    fc.property(phone, fc.constantFrom("", "+86", "0086"), (number, country) => {
      expect(maskTree({ a: [`tel ${country}${number}`], [number]: 1 }, mask)).toEqual({ a: ["tel ***"], "***": 1 });
    }),
  );
});
