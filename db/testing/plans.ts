import { definitionSchema, type PipelineDefinition, type PipelineDefinitionInput } from "../../server/domain/pipeline/definition";
import { decide } from "../../server/domain/run/decide";
import type { AttemptFailure, Decision, NodeFacts, RunEvent, RunFacts, RunPlan } from "../../server/domain/run/model";
import { planOf } from "../../server/domain/run/plan";

export type SpecInput = PipelineDefinitionInput["spec"];
export type NodeInput = NonNullable<SpecInput["nodes"]>[number];
export type WorkInput = Omit<Partial<Extract<NodeInput, { type: "handler" }>>, "key" | "type" | "needs">;

/** A handler node; `needs` is a list of keys, the rest as an author writes it. */
export const node = (key: string, needs: readonly string[] = [], more: WorkInput = {}): NodeInput => ({
  key,
  type: "handler",
  needs: [...needs],
  with: { task: "test.work" },
  ...more,
});

export const waitNode = (key: string, needs: readonly string[], wait: { for: string } | { until: string }): NodeInput => ({
  key,
  type: "wait",
  needs: [...needs],
  with: wait,
});

export function definitionOf(nodes: readonly NodeInput[], spec: Partial<SpecInput> = {}, name = "orders"): PipelineDefinition {
  return definitionSchema.parse({
    apiVersion: "apollo11/v1",
    kind: "Pipeline",
    metadata: { name, title: name, owner: "tests" },
    spec: { domain: "TEST", ...spec, nodes: [...nodes] },
  });
}

export const planFor = (nodes: readonly NodeInput[], spec: Partial<SpecInput> = {}): RunPlan =>
  planOf("version-1", definitionOf(nodes, spec));

export const bornNode = (key: string): NodeFacts => ({
  key,
  state: "PENDING",
  generation: 1,
  executionId: `x-${key}`,
  token: 0,
  attemptNo: 0,
  attempts: 0,
  readyAt: null,
  dueAt: null,
  deadlineAt: null,
  skipCause: null,
  maybeRepeated: false,
});

export const bornRun = (plan: RunPlan): RunFacts => ({
  id: "run-1",
  state: "PENDING",
  activated: false,
  cancelRequested: false,
  pausedByPerson: false,
  nodes: new Map(plan.nodes.map(({ key }) => [key, bornNode(key)])),
});

export const failureOf = (code = "TEST_STEP_BROKEN_500", retryable = true, message = "it broke"): AttemptFailure => ({
  code,
  message,
  stack: null,
  stackHash: null,
  retryable,
  context: {},
  retryAfterMs: null,
});

/** A run in memory that is told one event after the other, by a clock of its own. */
export class ToldRun {
  facts: RunFacts;
  now = new Date("2026-03-01T00:00:00Z");
  last: Decision | null = null;

  constructor(readonly plan: RunPlan) {
    this.facts = bornRun(plan);
  }

  tell(event: RunEvent): Decision {
    const decision = decide(this.plan, this.facts, event, { now: this.now });
    if (decision.kind === "applied") this.facts = decision.next;
    this.last = decision;
    return decision;
  }

  wait(ms: number): this {
    this.now = new Date(this.now.getTime() + ms);
    return this;
  }

  node(key: string): NodeFacts {
    const node = this.facts.nodes.get(key);
    if (!node) throw new Error(`no node ${key}`);
    return node;
  }

  states(): Record<string, string> {
    return Object.fromEntries([...this.facts.nodes.values()].map(({ key, state }) => [key, state]));
  }

  claim(...keys: string[]): this {
    for (const key of keys) this.tell({ kind: "claimed", key, token: this.node(key).token + 1 });
    return this;
  }

  succeed(...keys: string[]): this {
    for (const key of keys) this.tell({ kind: "succeeded", key, token: this.node(key).token });
    return this;
  }

  fail(key: string, failure = failureOf("TEST_STEP_BROKEN_500", false)): Decision {
    return this.tell({ kind: "attemptFailed", key, token: this.node(key).token, failure, jitter: 0 });
  }

  lose(key: string, deaths?: number): Decision {
    const failure = { ...failureOf("APOLLO_WORKER_LOST_503"), ...(deaths === undefined ? {} : { deaths }) };
    return this.tell({ kind: "workerLost", key, token: this.node(key).token, failure });
  }
}

/** A run of these nodes that has had its turn. */
export function activeRun(nodes: readonly NodeInput[], spec: Partial<SpecInput> = {}): ToldRun {
  const run = new ToldRun(planFor(nodes, spec));
  run.tell({ kind: "activated" });
  return run;
}
