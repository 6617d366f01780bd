import { describe, expect, it } from "vitest";
import { type AlertFacts, groupAlerts, type IncidentFacts, type IncidentMemory } from "./group-alerts";

const T0 = Date.parse("2026-03-01T00:00:00Z");
const at = (minutes: number) => new Date(T0 + minutes * 60_000);
let ids = 0;

const alert = (more: Partial<AlertFacts> = {}): AlertFacts => ({
  ...{ id: `a${++ids}`, no: ids, code: "TEST_STEP_BROKEN_500", pipelineId: "p1", grade: "P2", owner: "team", firstAt: at(0) },
  ...{ suppressedBy: null, acknowledged: null, resolvedAt: null, incidentId: null, ...more },
});
const memory = (incidents: readonly IncidentFacts[] = [], more: Partial<IncidentMemory> = {}): IncidentMemory => ({
  ...{ now: at(60), incidents, lastReviewed: new Map(), nextNo: incidents.length + 1, newId: () => `i${++ids}`, ...more },
});
const group = (alerts: readonly AlertFacts[], given = memory()) => groupAlerts(alerts, given);
function opened(alerts: readonly AlertFacts[]): IncidentFacts {
  const [incident] = group(alerts).changed;
  if (!incident) throw new Error("no incident");
  return incident;
}
const resolvedAt = (minutes: number): IncidentFacts => ({
  ...opened([alert()]),
  ...{ state: "resolved", resolvedAt: at(minutes), openAlerts: new Set() },
});

describe("alerts", () => {
  it("of one code and pipeline are one incident, others are others, and its severity is the gravest (INC-1)", () => {
    const { changed, links } = group([
      alert(),
      alert({ grade: "P1", firstAt: at(1) }),
      alert({ pipelineId: "p2" }),
      alert({ code: "TEST_X_1" }),
    ]);
    expect(changed.map(({ code, pipelineId, severity }) => [code, pipelineId, severity])).toEqual([
      ["TEST_STEP_BROKEN_500", "p1", "P1"],
      ["TEST_STEP_BROKEN_500", "p2", "P2"],
      ["TEST_X_1", "p1", "P2"],
    ]);
    expect(links).toHaveLength(4);
  });

  it.each([
    ["suppressed by a silence", { suppressedBy: "silence" }, 0],
    ["only noted, as P4", { grade: "P4" }, 0],
    ["without a channel that takes them", { suppressedBy: "route" }, 1],
  ] as const)("%s make an incident where people should look (INC-1)", (_, more, count) => {
    expect(group([alert(more)]).changed).toHaveLength(count);
  });

  it.each([
    [30, false],
    [31, true],
  ])("%i min after the resolution: a new incident is %s (INC-1)", (minutes, isNew) => {
    const { changed } = group([alert({ firstAt: at(minutes) })], memory([resolvedAt(0)]));
    expect(changed).toMatchObject([{ isNew, state: "open", resolvedAt: null }]);
  });

  it("within 30 minutes of a resolution that was closed with its review make a new incident, without it the same one (INC-1, INC-6)", () => {
    const soon = alert({ firstAt: at(1) });
    const closed = { ...resolvedAt(0), state: "closed" as const };
    expect(group([soon], memory([{ ...closed, isReviewed: true }])).changed).toMatchObject([{ isNew: true, state: "open" }]);
    expect(group([soon], memory([closed])).changed).toMatchObject([{ isNew: false, state: "open" }]);
  });

  it("join an older incident that goes on rather than a newer one that is over (INC-1)", () => {
    const older = { ...opened([alert()]), id: "older", no: 1 };
    const newer = { ...resolvedAt(0), id: "newer", no: 2 };
    expect(group([alert({ firstAt: at(5) })], memory([older, newer])).links).toMatchObject([{ incidentId: "older" }]);
  });

  it("that are all resolved resolve it at the last one's time, and the same twice changes nothing (INC-1)", () => {
    const first = alert();
    const incident = { ...opened([first]), openAlerts: new Set([first.id]) };
    const ended = { ...first, incidentId: incident.id, resolvedAt: at(9) };
    const { changed, steps } = group([ended], memory([incident]));
    expect(changed).toMatchObject([{ state: "resolved", resolvedAt: at(9) }]);
    expect(steps.map(({ event }) => event)).toEqual(["recovered"]);
    expect(group([ended], memory([{ ...incident, ...changed[0] }]))).toEqual({ changed: [], links: [], steps: [] });
  });

  it("that somebody took over acknowledge it, once (INC-1)", () => {
    const first = alert();
    const incident = { ...opened([first]), openAlerts: new Set([first.id]) };
    const taken = { ...first, incidentId: incident.id, acknowledged: { at: at(3), by: "Mia" } };
    expect(group([taken], memory([incident])).changed).toMatchObject([
      { state: "acknowledged", acknowledgedAt: at(3), acknowledgedBy: "Mia" },
    ]);
  });

  it("of a code whose review is closed make a new incident that names the reviewed one (INC-6)", () => {
    const lastReviewed = new Map([["TEST_STEP_BROKEN_500", "reviewed"]]);
    expect(group([alert()], memory([], { lastReviewed })).changed).toMatchObject([{ recurrenceOf: "reviewed" }]);
  });
});
