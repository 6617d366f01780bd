import { describe, expect, it } from "vitest";
import type { AlertPolicy } from "./policy";
import { SHIPPED_POLICY } from "./policy";
import type { PastAlert, PastOccurrence, PastWorld } from "./replay";
import { simulatePolicy } from "./simulate";

const START = Date.parse("2026-11-30T03:00:00Z");
const PIPELINE = "01980c2e-0000-7000-8000-000000000001";
const minute = (minutes: number) => new Date(START + minutes * 60_000);
const OPEN: PastAlert = { acknowledgedAt: null, acknowledgedBy: null, resolvedAt: null, resolvedByItself: false };
const WORLD: PastWorld = { silences: [], routes: [{ channelId: "ops", enabled: true, grade: "P3", pattern: "*" }] };
let made = 0;

function past(code: string, minutes: number, more: Partial<PastOccurrence> & { pipelineId?: string } = {}): PastOccurrence {
  const { pipelineId = PIPELINE, ...rest } = more;
  made += 1;
  return {
    ...{ decidedAt: minute(minutes), alert: OPEN, recoveredAt: null },
    occurrence: {
      ...{ ref: `event/${made}`, at: minute(minutes), code, codeGrade: null, message: "", kind: "failure", suspended: false },
      object: { task: `run-${made}/a`, runId: `run-${made}`, nodeKey: "a", pipelineId, label: "orders / a", owner: null },
      health: { runs: 10, unhealthy: 5, inARow: 5 },
    },
    ...rest,
  };
}

const simulate = (given: readonly PastOccurrence[], draft: Partial<AlertPolicy> = {}, world: Partial<PastWorld> = {}) =>
  simulatePolicy({ live: SHIPPED_POLICY, draft: { ...SHIPPED_POLICY, ...draft } }, given, { ...WORLD, ...world });

const ways = (simulated: ReturnType<typeof simulate>) => simulated.changed.map(({ from, to, count }) => `${from}>${to} ×${count}`);

const MILD = SHIPPED_POLICY.rules.map((rule) => (rule.id === "timeout" ? { ...rule, grade: "P4" as const } : rule));
const DATABASE = [{ id: "database", cause: "DB_*", targets: ["ORDER_*"], minutes: 30 }];
const NIGHT = [
  { id: "night", name: "night", pattern: "ORDER_*", times: { zone: "UTC", days: [1, 2, 3, 4, 5, 6, 7], from: "02:00", to: "04:00" } },
];

describe("a policy is tried on what has occurred", () => {
  const cases: readonly (readonly [string, Partial<AlertPolicy>, readonly PastOccurrence[], readonly string[]])[] = [
    ["the same policy changes nothing", {}, [past("ORDER_X_500", 0), past("DB_TIMEOUT_504", 30)], []],
    ["a milder rule keeps from people what no channel takes", { rules: MILD }, [past("ORDER_TIMEOUT_504", 0)], ["P1>route ×1"]],
    ["a rule that is gone leaves what it graded to the default", { rules: [] }, [past("ORDER_TIMEOUT_504", 0)], ["P1>P2 ×1"]],
    [
      "an inhibition holds the consequences of a cause",
      { inhibitions: DATABASE },
      [past("DB_DOWN_500", 0), past("ORDER_X_500", 0), past("ORDER_Y_500", 20)],
      ["P2>inhibition ×2"],
    ],
    [
      "a consequence whose cause never comes is told after its grace",
      { inhibitions: DATABASE },
      [past("ORDER_X_500", 0), past("OTHER_Y_500", 60)],
      [],
    ],
    ["a business window makes it mild", { windows: NIGHT }, [past("ORDER_X_500", 0)], ["P2>window ×1"]],
    ["a class makes its pipeline's failures graver", { classes: { [PIPELINE]: "core" } }, [past("ORDER_X_500", 0)], ["P2>P1 ×1"]],
  ];
  it.each(cases)("%s (ALT-8)", (_, draft, given, expected) => {
    expect(ways(simulate(given, draft))).toEqual(expected);
  });

  it("counts by grade, suppressor and rule, and says how many more and fewer would page (ALT-8)", () => {
    const given = [past("ORDER_TIMEOUT_504", 0), past("ORDER_TIMEOUT_504", 1), past("ORDER_X_500", 0)];
    const simulated = simulate(given, { rules: MILD });
    expect(simulated).toMatchObject({ total: 3, newlyTold: 0, noLongerTold: 1 });
    expect(simulated.live).toEqual({
      told: [
        { grade: "P1", count: 1 },
        { grade: "P2", count: 1 },
      ],
      held: [{ by: "code", count: 1 }],
      rules: [
        { ruleId: "timeout", count: 2, told: 1 },
        { ruleId: null, count: 1, told: 1 },
      ],
    });
    expect(simulated.draft.told).toEqual([{ grade: "P2", count: 1 }]);
    expect(simulate(given, { rules: MILD }).changed[0]?.codes).toEqual([{ code: "ORDER_TIMEOUT_504", count: 1 }]);
  });

  it("what was resolved in between, acknowledged, or silenced then is so in the trial (ALT-4, ALT-8)", () => {
    const resolved = { ...OPEN, resolvedAt: minute(5), resolvedByItself: false };
    const heldIn = (given: readonly PastOccurrence[], world: Partial<PastWorld> = {}) => simulate(given, {}, world).live.held;
    expect(heldIn([past("A_X_500", 0, { alert: resolved }), past("A_X_500", 6)])).toEqual([]);
    expect(heldIn([past("A_X_500", 0), past("A_X_500", 6)])).toEqual([{ by: "code", count: 1 }]);
    const taken = { ...OPEN, acknowledgedAt: minute(5), acknowledgedBy: "ann" };
    expect(heldIn([past("A_X_500", 0, { alert: taken }), past("A_X_500", 30, { alert: taken })])).toEqual([
      { by: "acknowledged", count: 1 },
    ]);
    const silence = { id: "s", no: 1, pattern: "A_*", pipelineId: null, reason: "", author: "", startsAt: minute(0), endsAt: minute(10) };
    expect(heldIn([past("A_X_500", 1), past("A_X_500", 40)], { silences: [silence] })).toEqual([{ by: "silence", count: 1 }]);
  });
});
