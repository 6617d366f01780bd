import { describe, expect, it } from "vitest";
import { ruleOf } from "./rule-form";
import { suggestedRule } from "./suggested-rule";

const suggested = (query: string) => {
  const params = new URLSearchParams(query);
  return suggestedRule((name) => params.get(name) ?? "");
};
const CODE = "ORDER_PAY_TIMEOUT_504";

describe("a rule that history suggests (RTY-4)", () => {
  it.each([
    [
      "delays",
      `draft=retry&code=${CODE}&pipeline=orders&delays=3s, 2m`,
      { pattern: CODE, pipeline: "orders", action: "retry", delays: { delays: ["3s", "2m"] } },
    ],
    ["no retry", `draft=fail&code=${CODE}&pipeline=orders&delays=3s`, { pattern: CODE, pipeline: "orders", action: "fail" }],
  ])("%s are the fields of a rule that can be sent as they stand", (_name, query, expected) => {
    const fields = suggested(query);
    expect(fields && ruleOf(fields, [])).toMatchObject({ rule: expected });
  });

  it.each(["", `draft=pause&code=${CODE}`, "draft=retry"])("an address such as ?%s suggests none", (query) => {
    expect(suggested(query)).toBeNull();
  });

  it("what is no delay is said at its field, not taken", () => {
    const fields = suggested(`draft=retry&code=${CODE}&pipeline=orders&delays=soon`);
    expect(fields && ruleOf(fields, [])).toEqual({ wrong: new Set(["delays"]) });
  });
});
