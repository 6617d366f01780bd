import fc from "fast-check";
import { expect, test } from "vitest";
import { maskOutput } from "./mask-output";

const SECRETS = { api_key: "kanarie-7/+x", other: "zweites-geheimnis" };
const base64 = (text: string) => Buffer.from(text).toString("base64");

test.each([
  [{ plan: "Basic subscription" }],
  [{ token: "eyJhbGciOiJIUzI1.eyJzdWIiOiIx.c2ln" }],
  ["postgres://apollo:hunter2@db:5432/x"],
  [{ "Bearer of bad news": ["bearer documents1"] }],
])("what only looks like a credential is an output like any other: %j (SEC-1)", (output) => {
  expect(maskOutput(output, SECRETS)).toEqual({ output, found: [] });
});

test("an output that holds no secret comes out as it went in (SEC-1)", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (output) => {
      fc.pre(!JSON.stringify(output).includes("kanarie") && !JSON.stringify(output).includes("zweites"));
      expect(maskOutput(output, SECRETS)).toEqual({ output, found: [] });
    }),
  );
});

test("a secret in an output is masked in every encoding, and told by its name and place (SEC-1)", () => {
  const output = { a: [`x ${SECRETS.api_key} y`, 1], b: { c: base64(SECRETS.other) } };
  expect(maskOutput(output, SECRETS)).toEqual({
    output: { a: ["x *** y", 1], b: { c: "***" } },
    found: [
      { name: "api_key", path: "a[0]" },
      { name: "other", path: "b.c" },
    ],
  });
});

test("keys that become alike by masking stay apart, and no value is lost (SEC-1)", () => {
  const output = { [SECRETS.api_key]: 1, [SECRETS.other]: 2, "***": 3 };
  expect(maskOutput(output, SECRETS).output).toEqual({ "*** (2)": 1, "*** (3)": 2, "***": 3 });
});

test("a value of fewer than six characters is not looked for: it stands in ordinary words (SEC-1)", () => {
  expect(maskOutput({ city: "Rometta" }, { pin: "Rome" })).toEqual({ output: { city: "Rometta" }, found: [] });
  expect(maskOutput("one\nyes", { key: "yes\n-----BEGIN-----" })).toEqual({ output: "one\nyes", found: [] });
});
