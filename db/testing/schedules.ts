import { v7 } from "uuid";
import type { PipelineDefinitionInput } from "../../server/domain/pipeline/definition";
import type { Ctx } from "../../server/engine/context";
import { applyDefinition } from "../../server/engine/pipelines/apply-definition";
import { acquireLeaseIfFree } from "../statements/lease-acquire";
import { testCtx } from "./ctx";
import type { TestDatabase } from "./database";

type ScheduleInput = NonNullable<PipelineDefinitionInput["spec"]["schedules"]>[number];

/** A world whose clock stands still until it is moved; ids and leases go by the real one, as partitions and Postgres do. */
export interface ClockedWorld {
  readonly ctx: Ctx;
  /** Sets the clock, forwards or back. */
  at(instant: string | number | Date): void;
  pass(ms: number): void;
  now(): Date;
}

export function clockedWorld(database: Pick<TestDatabase, "db">, start: string): ClockedWorld {
  let now = new Date(start);
  const ctx = testCtx(database.db, { now: () => now });
  return {
    ctx: { ...ctx, ids: { ...ctx.ids, uuid: () => v7() } },
    at: (instant) => {
      now = new Date(instant);
    },
    pass: (ms) => {
      now = new Date(now.getTime() + ms);
    },
    now: () => now,
  };
}

/** Publishes a pipeline of one short node with the given schedules, through the verb that people use. */
export async function publishTimed(
  ctx: Ctx,
  projectId: string,
  name: string,
  schedules: readonly ScheduleInput[],
  spec: Partial<PipelineDefinitionInput["spec"]> = {},
): Promise<{ pipelineId: string }> {
  const value = timedDefinition(name, schedules, spec);
  const applied = await applyDefinition(ctx, { projectId, name, source: { kind: "value", value } });
  if (!applied.pipelineId) throw new Error(`${name} was not published`);
  return { pipelineId: applied.pipelineId };
}

/** The definition of a pipeline of one short node. */
export function timedDefinition(
  name: string,
  schedules: readonly ScheduleInput[],
  spec: Partial<PipelineDefinitionInput["spec"]> = {},
): PipelineDefinitionInput {
  return {
    apiVersion: "apollo11/v1",
    kind: "Pipeline",
    metadata: { name, title: `Pipeline ${name}`, owner: "data-team" },
    spec: {
      domain: "ORDER",
      nodes: [{ key: "pull", type: "http", with: { url: "http://orders.example/pull" } }],
      ...spec,
      schedules: [...schedules],
    },
  };
}

/** Takes the scheduler's lease for an hour of real time, whoever held it. */
export async function takeLease(database: Pick<TestDatabase, "db" | "sql">): Promise<{ name: string; epoch: number }> {
  const name = "scheduler";
  await database.sql`update leases set expires_at = clock_timestamp() - interval '1 second' where name = ${name}`;
  const grant = await acquireLeaseIfFree(database.db, { name, holder: "test", bootId: v7() }, 3_600_000);
  if (!grant) throw new Error("the lease was not free");
  return { name, epoch: grant.epoch };
}
