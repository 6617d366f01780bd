import { describe, expect, it } from "vitest";
import type { NodeRow, RunRow } from "@/db/statements/state/lock-runs";
import { definitionOf, node } from "@/db/testing/plans";
import { planOf } from "@/server/domain/run/plan";
import type { ClaimedNode } from "@/server/domain/run/work";
import { feed } from "./open-run";
import { RunMemory } from "./run-memory";
import type { Version } from "./versions";

const NOW = new Date("2026-03-01T00:00:00Z");
const definition = definitionOf([node("a"), node("b"), node("c", ["a"], { with: { task: "t", input: { of: "{{ nodes.a.output }}" } } })]);
const version: Version = {
  id: "v",
  no: 1,
  pipelineId: "p",
  projectId: "project",
  definition,
  plan: planOf("v", definition),
  node: (key) => definition.spec.nodes.find((each) => each.key === key) as Version["definition"]["spec"]["nodes"][number],
};
const lease = { id: "w", bootId: "boot", epoch: 1 };

const runRow = (id: string): RunRow =>
  ({ id, seq: 3, state: "RUNNING", pausedByPerson: false, cancelRequestedAt: null, startedAt: NOW, endedAt: null }) as RunRow;
const nodeRow = (runId: string, key: string, state: string, token: number): NodeRow =>
  ({ runId, key, state, token, generation: 1, executionId: `x-${key}`, attemptNo: token, attempts: token, deadlineMs: 1_000 }) as NodeRow;
const readRun = (id: string) => ({
  row: runRow(id),
  nodes: [nodeRow(id, "a", "RUNNING", 1), nodeRow(id, "b", "QUEUED", 0), nodeRow(id, "c", "PENDING", 0)],
});
const claimed = (runId: string, token = 1) =>
  ({ runId, key: "b", generation: 1, token, attemptNo: 1, dispatchedAt: NOW, timeoutAt: NOW }) as ClaimedNode;

const fresh = (limits?: ConstructorParameters<typeof RunMemory>[1]) => new RunMemory(() => 0, limits);

function settleA(memory: RunMemory, id: string, output: unknown) {
  const known = memory.find(id);
  if (!known) throw new Error("it is not remembered");
  const open = memory.open(known);
  feed(open, { kind: "succeeded", key: "a", token: 1 }, NOW, { actor: { kind: "worker", id: "w", label: "w" }, output });
  return { open, done: () => memory.advance(open, { ...open.row, seq: 4 }, [{ ...nodeRow(id, "a", "SUCCESS", 1) }]) };
}

describe("what a worker remembers of its runs", () => {
  it("is bounded: the least recently used runs go (RUN-7)", () => {
    const memory = fresh({ nodes: 7, outputBytes: 1_000 });
    for (const id of ["r1", "r2"]) memory.keep(readRun(id), version);
    expect(memory.find("r1")).not.toBeNull();
    memory.keep(readRun("r3"), version);
    expect(memory.size).toMatchObject({ runs: 2, nodes: 6 });
    expect([memory.find("r1"), memory.find("r2"), memory.find("r3")].map((known) => known !== null)).toEqual([true, false, true]);
  });

  it("keeps outputs that a node will read, as far as they fit, and gives their room back with the run (B82)", () => {
    const memory = fresh({ nodes: 100, outputBytes: 30 });
    for (const id of ["r1", "r2"]) {
      memory.keep(readRun(id), version);
      settleA(memory, id, "x".repeat(18)).done();
    }
    // Both together are too much: the older run goes.
    expect(memory.find("r1")).toBeNull();
    expect(memory.find("r2")?.outputs.get("x-a")).toBe("x".repeat(18));
    expect(memory.size.outputBytes).toBe(20);
    memory.clear();
    expect(memory.size).toEqual({ runs: 0, nodes: 0, outputBytes: 0 });
  });

  it("follows a claim of its own worker, also one that comes while a commit is on its way (IDM-2)", () => {
    const memory = fresh();
    memory.keep(readRun("r1"), version);
    const { done } = settleA(memory, "r1", null);
    memory.claimed([claimed("r1")], lease);
    done();
    const known = memory.find("r1");
    expect(known?.nodes.get("b")).toMatchObject({ state: "RUNNING", token: 1, attempts: 1, workerId: "w", startedAt: NOW });
    expect(known?.facts.nodes.get("b")).toMatchObject({ state: "RUNNING", token: 1, attempts: 1 });
    expect(known?.facts.nodes.get("a")).toMatchObject({ state: "SUCCESS" });
    expect(known?.row.seq).toBe(4);
  });

  it("forgets a run of which a claim tells something else than it remembers, and one that has ended (IDM-2)", () => {
    const memory = fresh();
    memory.keep(readRun("r1"), version);
    memory.claimed([claimed("r1", 5)], lease);
    expect(memory.find("r1")).toBeNull();
    memory.keep(readRun("r2"), version);
    const { open, done } = settleA(memory, "r2", null);
    open.facts = { ...open.facts, state: "CANCELED" };
    done();
    expect(memory.find("r2")).toBeNull();
  });

  it("shows a settle under way the rows that it decided on, though a claim of one of them is heard meanwhile (IDM-2, B64)", () => {
    const memory = fresh();
    memory.keep(readRun("r1"), version);
    const { open } = settleA(memory, "r1", null);
    memory.claimed([claimed("r1")], lease);
    // The write compares with these, so that it is refused where the claim was first.
    expect(open.nodes.get("b")).toMatchObject({ state: "QUEUED", token: 0 });
    expect(open.facts.nodes.get("b")).toMatchObject({ state: "QUEUED", token: 0 });
    expect(memory.find("r1")?.nodes.get("b")).toMatchObject({ state: "RUNNING", token: 1 });
  });

  it("forgets a run that was remembered anew while a commit was on its way (IDM-2)", () => {
    const memory = fresh();
    memory.keep(readRun("r1"), version);
    const { done } = settleA(memory, "r1", null);
    memory.forget("r1");
    memory.keep(readRun("r1"), version);
    done();
    expect(memory.find("r1")).toBeNull();
  });
});
