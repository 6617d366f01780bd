import { describe, expect, it } from "vitest";
import { type RoutingRule, SHIPPED_RULES } from "@/server/domain/routing/rule";
import { draftOf, isSame, moveRule, putRule, removeRule } from "./draft";

const rule = (name: string): RoutingRule => ({ name, pattern: "*", action: "fail" });
const three = draftOf(["a", "b", "c"].map(rule));
const names = (rules: typeof three) => rules.map((each) => each.rule.name).join("");

describe("a draft of routing rules (EXC-5)", () => {
  it("moves a rule by one place, and not beyond the ends (EXC-5)", () => {
    expect(names(moveRule(three, "r1", -1))).toBe("bac");
    expect(names(moveRule(three, "r1", 1))).toBe("acb");
    expect([moveRule(three, "r0", -1), moveRule(three, "r2", 1), moveRule(three, "gone", 1)]).toEqual([three, three, three]);
  });

  it("puts a new rule first, where it decides, and a changed one where it was (EXC-5)", () => {
    expect(names(putRule(three, null, rule("x")))).toBe("xabc");
    expect(names(putRule(three, "r1", rule("x")))).toBe("axc");
    const grown = putRule(removeRule(three, "r0"), null, rule("x"));
    expect(new Set(grown.map(({ key }) => key)).size).toBe(grown.length);
  });

  it("knows when nothing is changed, also after a move there and back (EXC-5)", () => {
    const shipped = draftOf(SHIPPED_RULES);
    expect(isSame(shipped, SHIPPED_RULES)).toBe(true);
    expect(isSame(moveRule(shipped, "r0", 1), SHIPPED_RULES)).toBe(false);
    expect(isSame(moveRule(moveRule(shipped, "r0", 1), "r0", -1), SHIPPED_RULES)).toBe(true);
  });
});
