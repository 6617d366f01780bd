import { describe, expect, it } from "vitest";
import { changedFields, closingIssues, isOverdue, type ReviewForm, recurrenceVerdict, reviewFormSchema, reviewIssues } from "./review";
import { reviewMarkdown } from "./review-markdown";
import { INCIDENT_EVENTS, INCIDENT_STATES, nextState, timesOf } from "./transitions";

const id = "0196a000-0000-7000-8000-000000000001";
const action = { id, what: "add an alarm", ownerId: "u1", due: "2026-04-01", proof: "it rings in a drill" };
const FULL: ReviewForm = {
  ...{ rootCause: "dependency", factors: ["capacity"], impact: ["customers"], summary: "", fix: "restarted it" },
  ...{ codes: ["TEST_DB_DOWN_503"], actions: [action] },
};
const now = new Date("2026-04-02T12:00:00Z");

describe("a review", () => {
  it.each([
    ["its root cause", { rootCause: null }, "rootCause"],
    ["whom it reached", { impact: [] }, "impact"],
    ["its fix", { fix: "" }, "fix"],
    ["its codes", { codes: [] }, "codes"],
    ["its prevention", { actions: [] }, "actions"],
    ["what an action is", { actions: [{ ...action, what: "" }] }, "actions[0].what"],
    ["an action's owner", { actions: [{ ...action, ownerId: null }] }, "actions[0].ownerId"],
    ["an action's date", { actions: [{ ...action, due: null }] }, "actions[0].due"],
    ["an action's proof", { actions: [{ ...action, proof: "" }] }, "actions[0].proof"],
    ["one root cause that is no factor as well", { factors: ["dependency"] as ReviewForm["factors"] }, "factors"],
  ])("without %s closes no P0 and no P1, and may stay so for others (INC-2)", (_, lacks, path) => {
    const form = { ...FULL, ...lacks };
    for (const severity of ["P0", "P1"] as const) expect(closingIssues(severity, form).map((issue) => issue.path)).toEqual([path]);
    for (const severity of ["P2", "P3", "P4"] as const) expect(closingIssues(severity, form)).toEqual([]);
  });

  it("that is complete has no issue, and its fix has at most 200 characters (INC-2)", () => {
    expect(reviewIssues(FULL)).toEqual([]);
    expect(closingIssues("P0", null).length).toBeGreaterThan(0);
    expect(reviewFormSchema.safeParse({ ...FULL, fix: "x".repeat(201) }).success).toBe(false);
    expect(reviewFormSchema.safeParse({ ...FULL, fix: "x".repeat(200) }).success).toBe(true);
  });

  it("tells in which fields two wordings differ (INC-2)", () => {
    expect(changedFields(FULL, { ...FULL, fix: "other", actions: [] })).toEqual(["fix", "actions"]);
    expect(changedFields(FULL, { ...FULL })).toEqual([]);
  });

  it("whose incident comes back tells whether somebody is late, it was not due, or what was done did not help (INC-6)", () => {
    const late = { due: "2026-04-01", doneAt: null };
    const open = { due: "2026-04-02", doneAt: null };
    expect(isOverdue(late, now)).toBe(true);
    expect(isOverdue(open, now)).toBe(false);
    expect(recurrenceVerdict([open, late], now)).toBe("overdue");
    expect(recurrenceVerdict([open], now)).toBe("pending");
    expect(recurrenceVerdict([{ ...late, doneAt: now }], now)).toBe("not_prevented");
  });

  it("is Markdown in which nothing that a person wrote is markup (INC-3)", () => {
    const document = {
      ...{ no: 7, code: "TEST_DB_DOWN_503", pipeline: "Orders", severity: "P1" as const, owner: "Mia", openedAt: new Date(0) },
      ...{ acknowledgedAt: new Date(60_000), resolvedAt: null, closedAt: null, form: { ...FULL, fix: "a | b <script>" } },
      facts: { detectionMs: 4_000, runsFailed: 2, runsLate: 1, attempts: 6 },
      actions: [{ what: "alarm | bell\nsecond line", owner: "Mia", due: "2026-04-01", proof: "rings", doneAt: null, doneNote: null }],
    };
    const text = reviewMarkdown(document);
    expect(text).toContain("(after 60 s)");
    expect(text).toContain("a \\| b \\<script\\>");
    expect(text).toContain("| alarm \\| bell second line | Mia | 2026-04-01 | rings | open |");
  });
});

describe("an incident", () => {
  it("knows no way that the table does not have: closed only after resolved, and nothing ends twice (INC-1)", () => {
    const ways = INCIDENT_STATES.flatMap((state) =>
      INCIDENT_EVENTS.flatMap((event) => {
        const rule = nextState(state, event);
        return rule ? [`${state} ${event} ${rule.to}`] : [];
      }),
    );
    expect(ways).toEqual([
      "open alertCame open",
      "open recovered resolved",
      "open acknowledge acknowledged",
      "open resolve resolved",
      "acknowledged alertCame acknowledged",
      "acknowledged recovered resolved",
      "acknowledged resolve resolved",
      "resolved alertCame open",
      "resolved reopen open",
      "resolved close closed",
      "closed alertCame open",
      "closed reopen open",
    ]);
  });

  it("is measured from its opening, and not at all before it came to that (INC-1)", () => {
    const openedAt = new Date(0);
    expect(timesOf({ openedAt, acknowledgedAt: new Date(5), resolvedAt: null })).toEqual({ toAcknowledgeMs: 5, toResolveMs: null });
  });
});
