import { describe, expect, it } from "vitest";
import { EMPTY_REVIEW } from "@/server/domain/incident/review";
import { issuePlace } from "./issue-place";
import { codesOf, newAction, toggled, withAction, withRootCause } from "./review-draft";

describe("the draft of a review", () => {
  it("takes the root cause out of the contributing factors (INC-2)", () => {
    const form = withRootCause({ ...EMPTY_REVIEW, factors: ["capacity", "other"] }, "capacity");
    expect(form).toMatchObject({ rootCause: "capacity", factors: ["other"] });
  });

  it("reads codes with any mark between them, each once (INC-3)", () => {
    expect(codesOf(" a_b_1, C_D_2；a_b_1\nE_F_3 ")).toEqual(["A_B_1", "C_D_2", "E_F_3"]);
  });

  it("changes one action and leaves the others (INC-2)", () => {
    const form = { ...EMPTY_REVIEW, actions: [newAction("a"), newAction("b")] };
    expect(withAction(form, "b", { due: "2026-03-01" }).actions).toEqual([newAction("a"), { ...newAction("b"), due: "2026-03-01" }]);
  });

  it("has each choice once, or not (INC-2)", () => {
    expect(toggled(["a"], "a", true)).toEqual(["a"]);
    expect(toggled(["a", "b"], "a", false)).toEqual(["b"]);
  });

  it("names the action that lacks something by its place in the list (INC-2)", () => {
    expect(issuePlace("actions[1].due")).toEqual({ key: "actions_due", n: 2 });
    expect(issuePlace("fix")).toEqual({ key: "fix", n: 0 });
  });
});
