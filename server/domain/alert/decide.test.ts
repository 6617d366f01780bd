import { describe, expect, it } from "vitest";
import { BATCH_CODE } from "./book";
import { decideAgain, decideAlerts } from "./decide";
import { GRADES, type Grade } from "./grade";
import { GRACE_MS } from "./inhibit";
import type { AlertMemory, Cause, Occurrence, OpenAlert, Receipt, Silence, SuppressorKind } from "./model";
import { matchesCode } from "./pattern";
import { type AlertPolicy, policySchema, ruleSchema, SHIPPED_POLICY } from "./policy";
import { BATCH_ABOVE } from "./suppress";
import { classGrade, type TaskClass } from "./task-class";
import { isWithin } from "./week";
import { endedText, suppressorText } from "./words";

const NOW = new Date("2026-11-30T03:00:00Z");
const minutesAgo = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000);
const HEALTHY = { runs: 0, unhealthy: 0, inARow: 0 };
const PIPELINE = "01980c2e-0000-7000-8000-000000000001";
let made = 0;

function occurrence(more: Partial<Occurrence> & { task?: string; runId?: string } = {}): Occurrence {
  const { task = "run-1/a", runId = "run-1", ...rest } = more;
  return {
    ref: `event-${++made}`,
    at: NOW,
    code: "ORDER_STEP_BROKEN_500",
    codeGrade: null,
    message: "it broke",
    kind: "failure",
    object: { task, runId, nodeKey: "a", pipelineId: PIPELINE, label: "orders / a", owner: "team" },
    taskClass: "basic",
    health: HEALTHY,
    suspended: false,
    ...rest,
  };
}

function memory(more: Partial<AlertMemory> = {}): AlertMemory {
  let ids = 0;
  return {
    now: NOW,
    policy: SHIPPED_POLICY,
    silences: [],
    routes: [{ channelId: "ops", enabled: true, grade: "P3", pattern: "*" }],
    open: [],
    recent: new Map(),
    causes: [],
    tasks: new Map(),
    failed: [],
    nextNo: 1,
    newId: () => `alert-${++ids}`,
    ...more,
  };
}

const openAlert = (more: Partial<OpenAlert> = {}): OpenAlert => ({
  id: "known",
  no: 7,
  key: `code:ORDER_STEP_BROKEN_500/${PIPELINE}`,
  kind: "code",
  code: "ORDER_STEP_BROKEN_500",
  grade: "P2",
  count: 1,
  firstAt: minutesAgo(2),
  lastAt: minutesAgo(2),
  sentAt: minutesAgo(2),
  heldBy: [],
  parts: {},
  acknowledgedBy: null,
  pipelineId: PIPELINE,
  ...more,
});
const silence = (more: Partial<Silence> = {}): Silence => ({
  ...{ id: "s", no: 8, pattern: "*", pipelineId: null, reason: "repair", author: "ops" },
  ...{ startsAt: minutesAgo(60), endsAt: new Date(NOW.getTime() + 60_000) },
  ...more,
});
const cause = (more: Partial<Cause> = {}): Cause => ({
  ...{ code: "DB_DOWN_503", no: 3, from: minutesAgo(2), to: minutesAgo(2), open: true, root: "DB_DOWN_503" },
  ...more,
});
const policy = (more: Partial<AlertPolicy>): AlertPolicy => ({ ...SHIPPED_POLICY, ...more });
const all = { zone: "UTC", days: [1, 2, 3, 4, 5, 6, 7], from: "00:00", to: "23:59" };

describe("rules grade", () => {
  it.each<[string, Grade]>([
    ["ORDER_WORKER_OOM_137", "P0"],
    ["ORDER_OOM_KILLED_137", "P0"],
    ["ORDER_DB_DEADLOCK_409", "P0"],
    ["ORDER_HTTP_TIMEOUT_504", "P1"],
    ["APOLLO_SILENT_GROUP_503", "P1"],
    ["ORDER_BODY_VALIDATION_422", "P2"],
    ["ORDER_STEP_BROKEN_500", "P2"],
    // The first rule that matches, in their order.
    ["ORDER_OOM_TIMEOUT_137", "P0"],
    ["ORDER_TIMEOUT_VALIDATION_422", "P1"],
    // A part of a word is no word.
    ["ORDER_ROOM_FULL_409", "P2"],
  ])("%s is %s as shipped (ALT-1)", (code, grade) => {
    expect(decideAlerts([occurrence({ code })], memory()).alerts).toMatchObject([{ grade, code }]);
  });

  it("a P0 rule without what is to be done is refused, and one with it is carried by the alert (ALT-1)", () => {
    const rule = { id: "x", name: "X", pattern: "*_X_*", grade: "P0", actionRequired: null, enabled: true };
    expect(ruleSchema.safeParse(rule).error?.issues).toMatchObject([{ path: ["actionRequired"] }]);
    const actionRequired = { action: "pause", target: "pipeline" };
    const named = ruleSchema.parse({ ...rule, actionRequired });
    const [alert] = decideAlerts([occurrence({ code: "ORDER_X_1" })], memory({ policy: policy({ rules: [named] }) })).alerts;
    expect(alert?.face?.actionRequired).toEqual(actionRequired);
    expect(policySchema.safeParse(SHIPPED_POLICY).success).toBe(true);
    expect(policySchema.safeParse({ ...SHIPPED_POLICY, rules: [named, named] }).success).toBe(false);
  });

  it("a rule that is switched off grades nothing (ALT-1)", () => {
    const rules = SHIPPED_POLICY.rules.map((rule) => ({ ...rule, enabled: false }));
    expect(decideAlerts([occurrence({ code: "ORDER_DB_OOM_1" })], memory({ policy: policy({ rules }) })).alerts).toMatchObject([
      { grade: "P2" },
    ]);
  });

  const rates = { bad: { runs: 100, unhealthy: 15, inARow: 1 }, better: { runs: 100, unhealthy: 14, inARow: 1 } };
  it.each<[string, TaskClass, { runs: number; unhealthy: number; inARow: number }, boolean, Grade | null]>([
    ["basic at 15 % in working hours", "basic", rates.bad, true, "P3"],
    ["basic at 15 % outside of them", "basic", rates.bad, false, null],
    ["basic below 15 %", "basic", rates.better, true, null],
    ["basic with too few runs to have a rate", "basic", { runs: 2, unhealthy: 2, inARow: 2 }, true, null],
    ["core at 0.1 % and two in a row", "core", { runs: 2_000, unhealthy: 2, inARow: 2 }, false, "P1"],
    ["core above 0.1 %, one by itself", "core", { runs: 100, unhealthy: 1, inARow: 1 }, true, null],
    ["core two in a row below 0.1 %", "core", { runs: 2_001, unhealthy: 2, inARow: 2 }, true, null],
    ["long running, however many fail", "long_running", { runs: 10, unhealthy: 10, inARow: 10 }, true, null],
  ])("class %s (ALT-3, ALT-7)", (_, taskClass, health, working, grade) => {
    expect(classGrade(taskClass, health, working)).toBe(grade);
  });

  const gradeOf = (more: Parameters<typeof occurrence>[0]) => decideAlerts([occurrence(more)], memory()).alerts[0]?.grade;
  it("the graver of code and task class wins, either way (ALT-1)", () => {
    const core = { taskClass: "core", health: { runs: 10, unhealthy: 2, inARow: 2 } } as const;
    expect(gradeOf(core)).toBe("P1");
    expect(gradeOf({ ...core, code: "ORDER_DB_OOM_137" })).toBe("P0");
  });

  it("the grade that the register gives a code makes its alert graver, never milder (ALT-1, EXC-9)", () => {
    expect([gradeOf({ codeGrade: "P0" }), gradeOf({ codeGrade: "P4" })]).toEqual(["P0", "P2"]);
    expect(gradeOf({ codeGrade: "P3", code: "ORDER_HTTP_TIMEOUT_504" })).toBe("P1");
  });
});

/** What each suppressor needs in order to keep the one occurrence back; they can be put together. */
type Change = (before: { memory: AlertMemory; occurrence: Occurrence }) => {
  memory?: Partial<AlertMemory>;
  occurrence?: Partial<Occurrence>;
};
const CASES: Readonly<Record<SuppressorKind, Change>> = {
  silence: () => ({ memory: { silences: [silence()] } }),
  inhibition: ({ memory: { policy: before } }) => ({
    memory: {
      causes: [cause()],
      policy: { ...before, inhibitions: [{ id: "db", cause: "DB_*", targets: ["PAY_*", "ORDER_*"], minutes: 5 }] },
    },
  }),
  batch: ({ memory: { open } }) => ({
    memory: {
      open: [...open, openAlert({ id: "batch", key: "batch:run-1", kind: "batch", code: BATCH_CODE })],
      failed: ["b", "c", "d"].map((key) => ({ task: `run-1/${key}`, runId: "run-1" })),
    },
  }),
  task: ({ memory: { open } }) => ({
    memory: { open: [...open, openAlert({ id: "task", key: "code:OTHER_CODE_X_1" })], tasks: new Map([["run-1/a", "task"]]) },
  }),
  acknowledged: ({ memory: { open } }) => ({ memory: { open: merged(open, { acknowledgedBy: "ops", sentAt: minutesAgo(60) }) } }),
  code: ({ memory: { open } }) => ({ memory: { open: merged(open, { sentAt: minutesAgo(2) }) } }),
  window: ({ memory: { policy: before } }) => ({
    memory: { policy: { ...before, windows: [{ id: "w", name: "reconciliation", pattern: "*", times: all }] } },
  }),
  route: () => ({ memory: { routes: [] } }),
  grace: ({ memory: { policy: before } }) => ({
    memory: {
      policy: { ...before, inhibitions: [...before.inhibitions, { id: "later", cause: "NET_*", targets: ["ORDER_*"], minutes: 5 }] },
    },
  }),
};
const merged = (open: readonly OpenAlert[], more: Partial<OpenAlert>): OpenAlert[] => {
  const own = open.find(({ id }) => id === "known") ?? openAlert({ sentAt: minutesAgo(60) });
  return [...open.filter(({ id }) => id !== "known"), { ...own, ...more }];
};
const KINDS = Object.keys(CASES) as SuppressorKind[];

/** Those that hold by themselves; what is held before any alert is asked needs no answer of one. */
const BESIDE = ["silence inhibition", "batch task", "task acknowledged", "task code"];

function decideWith(kinds: readonly SuppressorKind[]) {
  let world = { memory: memory(), occurrence: occurrence() };
  for (const kind of kinds) {
    const change = CASES[kind](world);
    world = { memory: { ...world.memory, ...change.memory }, occurrence: { ...world.occurrence, ...change.occurrence } };
  }
  return decideAlerts([world.occurrence], world.memory);
}

describe("suppression", () => {
  it("what nothing keeps back is told to every channel that takes it, once (ALT-4)", () => {
    const { alerts, receipts, notices } = decideWith([]);
    expect(receipts).toMatchObject([{ heldBy: [] }]);
    expect(notices).toEqual([{ alertId: "alert-1", channelIds: ["ops"], cause: "opened", ended: null }]);
    expect(alerts).toMatchObject([{ no: 1, count: 1, isNew: true, sentAt: NOW }]);
  });

  it.each(KINDS)("%s keeps it back by itself, with a receipt that says by what (ALT-4)", (kind) => {
    const { receipts, notices } = decideWith([kind]);
    expect(notices).toEqual([]);
    expect(receipts.map(({ heldBy }) => heldBy.map((each) => each.kind))).toEqual([[kind]]);
    const said = receipts[0]?.heldBy.map(suppressorText).join();
    expect(said).toMatch(/\S/);
    expect(said).not.toContain("undefined");
  });

  it.each(KINDS.flatMap((first, at) => KINDS.slice(at + 1).map((second) => [first, second] as const)))(
    "of %s and %s the receipt names the first, in whichever order they came, and every other that holds as well (ALT-4)",
    (first, second) => {
      for (const pair of [
        [first, second],
        [second, first],
      ]) {
        const { receipts, notices } = decideWith(pair);
        expect(notices).toEqual([]);
        expect(receipts.map(({ heldBy }) => heldBy[0]?.kind)).toEqual([first]);
        const both = receipts[0]?.heldBy.map(({ kind }) => kind);
        if (BESIDE.includes(`${first} ${second}`)) expect(both).toEqual([first, second]);
      }
    },
  );

  it("the same code after ten minutes is told again, as N times (ALT-4)", () => {
    const known = openAlert({ count: 4, sentAt: minutesAgo(10) });
    const { alerts, notices } = decideAlerts([occurrence()], memory({ open: [known] }));
    expect(notices).toMatchObject([{ alertId: "known", cause: "repeated" }]);
    expect(alerts).toMatchObject([{ id: "known", count: 5, isNew: false, face: null }]);
  });

  it("what is graver than all that was told is told, whatever open alert would keep it back (ALT-4)", () => {
    const grave = { taskClass: "core", health: { runs: 10, unhealthy: 2, inARow: 2 } } as const;
    for (const kind of ["batch", "task", "acknowledged", "code"] as const) {
      const { memory: change } = CASES[kind]({ memory: memory(), occurrence: occurrence() });
      const { notices, alerts } = decideAlerts([occurrence(grave)], memory(change));
      expect(notices, kind).toMatchObject([{ cause: "raised" }]);
      expect(alerts, kind).toMatchObject([{ grade: "P1", face: { message: "it broke" } }]);
    }
  });

  it("an alert that nobody was told of keeps nothing back (ALT-4)", () => {
    const unheard = openAlert({ sentAt: null, heldBy: [{ kind: "silence", ref: "s", data: {}, until: null }] });
    const { notices } = decideAlerts([occurrence()], memory({ open: [unheard], tasks: new Map([["run-1/a", "known"]]) }));
    expect(notices).toMatchObject([{ alertId: "known", cause: "opened" }]);
  });

  it("a silence is of its pattern, its pipeline and its time alone (ALT-4)", () => {
    const sent = (more: Partial<Silence>) => decideAlerts([occurrence()], memory({ silences: [silence(more)] })).notices.length;
    expect(sent({})).toBe(0);
    expect(sent({ pipelineId: PIPELINE })).toBe(0);
    expect(sent({ pipelineId: "01980c2e-0000-7000-8000-000000000002" })).toBe(1);
    expect(sent({ pattern: "*_TIMEOUT_*" })).toBe(1);
    expect(sent({ endsAt: NOW })).toBe(1);
    expect(sent({ startsAt: new Date(NOW.getTime() + 1) })).toBe(1);
  });

  const bySilence8 = { kind: "silence", ref: "s", data: { no: 8, author: "ops", reason: "repair" }, until: NOW } as const;

  it("a silence that ended fires again what is still open and says so (ALT-4)", () => {
    const held = openAlert({ sentAt: null, heldBy: [bySilence8] });
    const { notices, alerts } = decideAgain([held], memory());
    expect(alerts).toMatchObject([{ sentAt: NOW, heldBy: [] }]);
    expect(notices).toMatchObject([{ alertId: "known", cause: "again" }]);
    expect(notices.map(({ ended }) => ended && endedText(ended))).toEqual(["it fires again because silence #8 has ended"]);
  });

  it("of two that hold one may end, and the other holds on, whichever it is; what is new goes into the receipts (ALT-4)", () => {
    const { memory: inhibiting } = CASES.inhibition({ memory: memory(), occurrence: occurrence() });
    const byCause = {
      kind: "inhibition",
      ref: "db",
      data: { cause: "DB_DOWN_503", root: "DB_DOWN_503", rule: "db" },
      until: null,
    } as const;
    const both = openAlert({ sentAt: null, heldBy: [bySilence8, byCause] });
    expect(decideAgain([both], memory(inhibiting))).toMatchObject({
      notices: [],
      alerts: [{ heldBy: [{ kind: "inhibition" }] }],
      changes: [],
    });
    const silences = [silence({ endsAt: new Date(NOW.getTime() + 60_000) })];
    expect(decideAgain([both], memory({ silences }))).toMatchObject({ notices: [], alerts: [{ heldBy: [{ kind: "silence" }] }] });
    const taken = decideAgain([both], memory({ silences: [silence({ id: "s9", no: 9 })] }));
    expect(taken).toMatchObject({ notices: [], changes: [{ alertId: "known", newly: [{ kind: "silence", ref: "s9" }] }] });
    expect(decideAgain([both], memory()).notices).toMatchObject([{ cause: "again" }]);
  });

  it.each(["task", "batch", "acknowledged"] as const)("what another alert kept back (%s) is told when that one is over (ALT-4)", (kind) => {
    const held = openAlert({ sentAt: null, heldBy: [{ kind, ref: "other", data: { no: 3 }, until: null }] });
    const other = openAlert({ id: "other", key: "other" });
    expect(decideAgain([held], memory({ open: [other] })).notices).toEqual([]);
    expect(decideAgain([held], memory()).notices).toMatchObject([{ alertId: "known", cause: "again" }]);
  });

  it("what flaps is told once: it had resolved by itself a moment ago, and is told again only if it stays (ALT-4)", () => {
    const recent = new Map([
      [`code:ORDER_STEP_BROKEN_500/${PIPELINE}`, { id: "gone", no: 6, grade: "P2", sentAt: minutesAgo(3) } as const],
    ]);
    const { notices, alerts } = decideAlerts([occurrence()], memory({ recent }));
    expect(notices).toEqual([]);
    expect(alerts).toMatchObject([{ heldBy: [{ kind: "code", ref: "gone", data: { no: 6 } }], sentAt: null }]);
    const later = new Date(NOW.getTime() + 7 * 60_000);
    const stays = decideAgain(alerts, memory({ now: later }));
    expect(stays.notices.map(({ ended }) => ended && endedText(ended))).toEqual([
      "it has come back since alert #6 was resolved, and is still open",
    ]);
    const graver = { taskClass: "core", health: { runs: 10, unhealthy: 2, inARow: 2 } } as const;
    expect(decideAlerts([occurrence(graver)], memory({ recent })).notices).toHaveLength(1);
  });

  it("to take care of one pipeline's alert silences no other pipeline with the same code (ALT-4)", () => {
    const acknowledged = openAlert({ acknowledgedBy: "ops" });
    const other = "01980c2e-0000-7000-8000-000000000002";
    const elsewhere = occurrence({ task: "run-2/a", runId: "run-2" });
    const { notices, alerts } = decideAlerts(
      [occurrence(), { ...elsewhere, object: { ...elsewhere.object, pipelineId: other } }],
      memory({ open: [acknowledged] }),
    );
    expect(notices).toMatchObject([{ cause: "opened" }]);
    expect(alerts.find(({ id }) => id === notices[0]?.alertId)).toMatchObject({ pipelineId: other });
  });
});

describe("inhibition", () => {
  const inhibitions = [{ id: "db", cause: "DB_*", targets: ["PAY_*", "ORDER_*"], minutes: 5 }];
  const under = policy({ inhibitions });
  const source = (more: Parameters<typeof occurrence>[0] = {}) =>
    occurrence({ code: "DB_POOL_DOWN_503", task: "run-9/db", runId: "run-9", ...more });
  const kindsOf = ({ receipts }: { receipts: readonly Receipt[] }) => receipts.map(({ heldBy }) => heldBy[0]?.kind);
  const downstream = (count: number, more: (each: number) => Parameters<typeof occurrence>[0] = () => ({})) =>
    Array.from({ length: count }, (_, each) =>
      occurrence({ task: `run-${each}/a`, runId: `run-${each}`, at: minutesAgo(1), ...more(each) }),
    );

  it("500 failures under one cause are one page and 500 receipts, though they were written before it (ALT-4)", () => {
    const targets = downstream(500, (each) => ({ code: each % 2 ? "PAY_STEP_BROKEN_500" : "ORDER_STEP_BROKEN_500" }));
    const decision = decideAlerts([...targets, source()], memory({ policy: under }));
    expect(decision.notices).toHaveLength(1);
    expect(decision.alerts.find(({ id }) => id === decision.notices[0]?.alertId)?.code).toBe("DB_POOL_DOWN_503");
    expect(kindsOf(decision).filter((kind) => kind === "inhibition")).toHaveLength(500);
  });

  it("ends with its window; a consequence without its cause waits for it, and what no rule names does not (ALT-4)", () => {
    const kinds = (more: Parameters<typeof occurrence>[0]) =>
      kindsOf(decideAlerts([source({ at: minutesAgo(6) }), occurrence(more)], memory({ policy: under })));
    expect(kinds({ at: minutesAgo(1) })).toEqual([undefined, "inhibition"]);
    expect(kinds({})).toEqual([undefined, "grace"]);
    expect(kinds({ at: minutesAgo(1), code: "SHIP_STEP_BROKEN_500" })).toEqual([undefined, undefined]);
  });

  it("a cause that comes a moment later still holds what has waited for it; where none comes, people are told (ALT-4)", () => {
    const waiting = decideAlerts(downstream(2), memory({ policy: under }));
    expect(waiting.notices).toEqual([]);
    const later = { now: new Date(NOW.getTime() + GRACE_MS), policy: under };
    const held = decideAgain(waiting.alerts, memory({ ...later, causes: [cause({ from: NOW, to: NOW })] }));
    expect(held).toMatchObject({
      notices: [],
      alerts: [{ heldBy: [{ kind: "inhibition" }] }],
      changes: [{ newly: [{ kind: "inhibition" }] }],
    });
    const told = decideAgain(waiting.alerts, memory(later));
    expect(told).toMatchObject({ notices: [{ cause: "opened" }], changes: [{ heldBy: [] }] });
    expect(told.notices.map(({ ended }) => ended && endedText(ended))).toEqual([null]);
  });

  it("consequences that waited in vain are one page when they are more than make a batch (ALT-2)", () => {
    const waiting = decideAlerts(
      downstream(3, (each) => ({ code: `ORDER_STEP${each}_BROKEN_500` })),
      memory({ policy: under }),
    ).alerts;
    const more = openAlert({ id: "more", no: 9, grade: "P1", sentAt: null, heldBy: [{ kind: "grace", ref: "", data: {}, until: NOW }] });
    const later = { now: new Date(NOW.getTime() + GRACE_MS), policy: under };
    const { notices, alerts } = decideAgain([...waiting, more], memory(later));
    expect(notices).toMatchObject([{ alertId: "more" }]);
    expect(alerts.map(({ heldBy }) => heldBy[0]?.kind)).toEqual(["batch", "batch", "batch", undefined]);
  });

  it("causes are decided before what follows from them through a whole chain, in whichever order they were written (ALT-4)", () => {
    const chain = policy({
      inhibitions: [
        { id: "order", cause: "ORDER_*", targets: ["PAY_*"], minutes: 5 },
        { id: "db", cause: "DB_*", targets: ["ORDER_*"], minutes: 5 },
      ],
    });
    const of = (code: string, task: string) => occurrence({ code, task, runId: task });
    const written = [of("PAY_STEP_BROKEN_500", "c"), of("ORDER_STEP_BROKEN_500", "b"), of("DB_POOL_DOWN_503", "a")];
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 0, 2],
      [1, 2, 0],
    ]) {
      const decision = decideAlerts(
        order.flatMap((at) => written[at] ?? []),
        memory({ policy: chain }),
      );
      expect(decision.notices, order.join()).toHaveLength(1);
      expect(
        decision.receipts.map(({ occurrence: { code }, heldBy }) => [code, heldBy[0]?.data.root]),
        order.join(),
      ).toEqual([
        ["DB_POOL_DOWN_503", undefined],
        ["ORDER_STEP_BROKEN_500", "DB_POOL_DOWN_503"],
        ["PAY_STEP_BROKEN_500", "DB_POOL_DOWN_503"],
      ]);
    }
  });

  it("a cause that became part of a batch still holds its consequences (ALT-4)", () => {
    const causes = Array.from({ length: 4 }, (_, each) => source({ task: `run-9/${each}`, at: minutesAgo(1) }));
    const [batch] = decideAlerts(causes, memory({ policy: under })).alerts;
    expect(batch).toMatchObject({ kind: "batch", parts: { DB_POOL_DOWN_503: { from: minutesAgo(1) } } });
  });

  it("of two rules in a circle the first is told, and the other follows from it (ALT-4)", () => {
    const circle = policy({ inhibitions: [...inhibitions, { id: "back", cause: "ORDER_*", targets: ["DB_*"], minutes: 5 }] });
    const decision = decideAlerts([occurrence(), source({ at: minutesAgo(1) })], memory({ policy: circle }));
    expect(kindsOf(decision)).toEqual(["grace", "inhibition"]);
    const causes = [
      cause({ code: "DB_POOL_DOWN_503", root: "DB_POOL_DOWN_503" }),
      cause({ code: "ORDER_STEP_BROKEN_500", root: "DB_POOL_DOWN_503" }),
    ];
    const again = decideAgain(decision.alerts, memory({ policy: circle, causes, now: new Date(NOW.getTime() + GRACE_MS) }));
    expect(again.notices).toMatchObject([{ alertId: decision.receipts[0]?.alertId }]);
  });
});

describe("aggregation", () => {
  const failures = (count: number, more: (each: number) => Parameters<typeof occurrence>[0] = () => ({})) =>
    Array.from({ length: count }, (_, each) => occurrence({ task: `run-1/${each}`, code: `ORDER_STEP${each}_BROKEN_500`, ...more(each) }));

  it("three failed nodes of a run are three alerts, four are one suspected batch failure of the gravest grade (ALT-2)", () => {
    expect(decideAlerts(failures(BATCH_ABOVE), memory()).notices).toHaveLength(3);
    const four = [...failures(BATCH_ABOVE), occurrence({ task: "run-1/x", code: "ORDER_DB_OOM_137" })];
    const { notices, alerts, receipts } = decideAlerts(four, memory());
    expect(alerts).toMatchObject([{ key: "batch:run-1", kind: "batch", code: "APOLLO_BATCH_FAILURE_500", grade: "P0", count: 4 }]);
    expect(notices).toHaveLength(1);
    expect(receipts).toHaveLength(4);
  });

  it("counts what failed before, and runs of one window together; silences and consequences make no batch (ALT-2)", () => {
    const failed = ["x", "y", "z"].map((key) => ({ task: `run-1/${key}`, runId: "run-1" }));
    expect(decideAlerts(failures(1), memory({ failed })).alerts).toMatchObject([{ key: "batch:run-1" }]);
    const across = failures(4, (each) => ({ task: `run-${each}/a`, runId: `run-${each}` }));
    expect(decideAlerts(across, memory()).alerts).toMatchObject([{ key: "batch:runs", count: 4 }]);
    const silenced = decideAlerts(failures(4), memory({ silences: [silence({ pattern: "ORDER_STEP0_*" })] }));
    expect(silenced.alerts.map(({ kind }) => kind)).toEqual(["code", "code", "code", "code"]);
    const silences = failures(4, (each) => ({ kind: "silence", task: `schedule-${each}` }));
    expect(decideAlerts(silences, memory()).alerts.map(({ kind }) => kind)).toEqual(Array(4).fill("silence"));
  });
});

describe("routes", () => {
  it.each(GRADES)("%s goes to the channels that take it, and a channel that is off gets nothing (ALT-6)", (grade) => {
    const actionRequired = { action: "retry", target: "node" } as const;
    const rules = [{ id: "all", name: "All", pattern: "*", grade, actionRequired, enabled: true }];
    const routes = GRADES.map((mildest) => ({ channelId: mildest, enabled: true, grade: mildest, pattern: "*" }));
    const off = { channelId: "off", enabled: false, grade: "P4", pattern: "*" } as const;
    const other = { channelId: "other", enabled: true, grade: "P4", pattern: "PAY_*" } as const;
    const { notices } = decideAlerts([occurrence()], memory({ policy: policy({ rules }), routes: [...routes, off, other] }));
    expect(notices[0]?.channelIds).toEqual(GRADES.slice(GRADES.indexOf(grade)));
  });
});

describe("times and patterns", () => {
  it.each([
    ["Monday 00:30 in Shanghai is Sunday 16:30 UTC", "Asia/Shanghai", [1], "00:00", "02:00", "2026-11-29T16:30:00Z", true],
    ["its end is outside", "Asia/Shanghai", [1], "00:00", "02:00", "2026-11-29T18:00:00Z", false],
    ["over midnight, before it", "UTC", [5], "22:00", "02:00", "2026-11-27T23:00:00Z", true],
    ["over midnight, after it, on the day that follows", "UTC", [5], "22:00", "02:00", "2026-11-28T01:59:00Z", true],
    ["over midnight, on a day that does not follow one", "UTC", [5], "22:00", "02:00", "2026-11-27T01:00:00Z", false],
    ["Sunday night lasts into Monday", "UTC", [7], "22:00", "02:00", "2026-11-30T00:30:00Z", true],
    // Clocks went back at 02:00 on 1 November: 01:30 came twice.
    ["the hour that comes twice, the second time", "America/New_York", [7], "01:00", "02:00", "2026-11-01T06:30:00Z", true],
  ])("%s", (_, zone, days, from, to, at, expected) => {
    expect(isWithin({ zone, days, from, to }, new Date(at))).toBe(expected);
  });

  it.each([
    ["*_OOM_*", "A_OOM_1", true],
    ["*_OOM_*", "A_OOM", false],
    ["A*A", "A", false],
    ["*", "", true],
    ["A_*_B_*_1", "A_X_B_Y_1", true],
    ["A_*_B_*_1", "A_X_Y_1", false],
    ["A_B_1", "A_B_1", true],
    ["A_B_1", "A_B_11", false],
    ["*AB*AB", "XAB", false],
  ])("%s means %s: %s", (pattern, code, expected) => {
    expect(matchesCode(pattern, code)).toBe(expected);
  });
});
