import { describe, expect, it } from "vitest";
import { ACTIONS, SHIPPED_POLICY } from "@/server/domain/alert/policy";
import {
  type KeptLink,
  LINK_ACTIONS,
  type LinkAction,
  type LinkFacts,
  offeredLinks,
  refusalOfLink,
  requiredLink,
  versionOf,
} from "./action";

const FACTS: LinkFacts = {
  alert: { acknowledgedBy: null, resolved: false },
  node: { state: "MANUAL_REVIEW", generation: 1, token: 3 },
  run: { state: "PAUSED", pausedByPerson: false },
  pipeline: { enabled: true, archived: false },
  worker: { draining: false, breaker: "closed" },
};
const NOTHING: LinkFacts = { alert: null, node: null, run: null, pipeline: null, worker: null };
const now = new Date("2026-11-30T12:00:00Z");
const later = (ms: number) => new Date(now.getTime() + ms);

const linkOf = (action: LinkAction, more: Partial<KeptLink> = {}): KeptLink => ({
  ...{ action, version: versionOf(action, FACTS), userId: null, userLabel: null, expiresAt: later(1), usedAt: null, usedBy: null },
  ...more,
});

describe("the buttons of an alert", () => {
  it("are those that are possible, and what is to be done comes first, whatever it is (ALT-1)", () => {
    for (const action of ACTIONS) {
      const required = requiredLink({ action });
      const offered = offeredLinks(FACTS, required);
      expect(offered[0], action).toBe(required ?? "retry_node");
      expect(new Set(offered).size).toBe(offered.length);
    }
    expect(offeredLinks(NOTHING, null)).toEqual([]);
  });

  it("exist for whatever a shipped P0 rule asks for (ALT-1)", () => {
    for (const { grade, actionRequired } of SHIPPED_POLICY.rules) if (grade === "P0") expect(requiredLink(actionRequired)).not.toBeNull();
  });

  it.each<[LinkAction, Partial<LinkFacts>]>([
    ["retry_node", { node: { state: "RUNNING", generation: 1, token: 4 } }],
    ["retry_node", { pipeline: { enabled: true, archived: true } }],
    ["skip_node", { node: { state: "SKIPPED", generation: 1, token: 4 } }],
    ["cancel_run", { run: { state: "SUCCESS", pausedByPerson: false } }],
    ["pause_pipeline", { pipeline: { enabled: false, archived: false } }],
    ["acknowledge", { alert: { acknowledgedBy: "somebody", resolved: false } }],
    ["mute", { alert: { acknowledgedBy: null, resolved: true } }],
    ["drain_worker", { worker: { draining: true, breaker: "closed" } }],
    ["hold_worker", { worker: { draining: false, breaker: "held" } }],
  ])("hold no %s where it would do nothing (ALT-6)", (action, facts) => {
    expect(offeredLinks(FACTS, "drain_worker")).toContain(action);
    expect(offeredLinks({ ...FACTS, ...facts }, "drain_worker")).not.toContain(action);
  });
});

describe("a link", () => {
  it.each(LINK_ACTIONS)("%s acts while what it is bound to is as it was, and not once that is gone (ALT-6)", (action) => {
    const asks = { userId: "u", now };
    expect(refusalOfLink(linkOf(action), FACTS, asks)).toBeNull();
    expect(refusalOfLink(linkOf(action), NOTHING, asks)).toMatchObject({ reason: "moved", now: "gone" });
  });

  it("to retry does nothing for an attempt that it was not made for, whatever the state's word (ALT-6)", () => {
    const again: LinkFacts = { ...FACTS, node: { state: "MANUAL_REVIEW", generation: 1, token: 4 } };
    expect(refusalOfLink(linkOf("retry_node"), again, { userId: "u", now })).toMatchObject({ reason: "moved" });
    expect(refusalOfLink(linkOf("cancel_run"), again, { userId: "u", now })).toMatchObject({ reason: "moved" });
  });

  it("names what keeps it from acting: who used it, whose it is, when it ended (ALT-6)", () => {
    const asks = { userId: "u", now };
    const used = { usedAt: now, usedBy: "Ada", expiresAt: now };
    expect(refusalOfLink(linkOf("mute", used), NOTHING, asks)).toEqual({ reason: "used", by: "Ada", at: now });
    expect(refusalOfLink(linkOf("mute", { userId: "v", userLabel: "Ben" }), FACTS, asks)).toEqual({ reason: "anothers", by: "Ben" });
    expect(refusalOfLink(linkOf("mute", { expiresAt: now }), FACTS, asks)).toEqual({ reason: "expired", at: now });
    expect(refusalOfLink(linkOf("mute", { userId: "u" }), FACTS, asks)).toBeNull();
  });
});
