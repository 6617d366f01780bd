import { asc, eq } from "drizzle-orm";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fires, schedules } from "@/db/schema/pipelines";
import { runs } from "@/db/schema/runs";
import { makeProject } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { clockedWorld, publishTimed, takeLease } from "@/db/testing/schedules";
import { MISFIRE_POLICIES, OVERLAP_POLICIES } from "@/server/domain/pipeline/definition";
import { setPipelineEnabled } from "@/server/engine/pipelines/set-enabled";
import { fireDue } from "./fire-due";
import { listFires } from "./list-fires";
import { toggleSchedule } from "./toggle-schedule";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const MINUTE = 60_000;
const START = new Date("2026-11-30T08:00:30.000Z").getTime();
/** Steps in minutes, so that the model can count by hand. */
const STEPS = [1, 2, 3, 5] as const;

type Op =
  | { readonly kind: "pass"; readonly ms: number }
  | { readonly kind: "edit"; readonly step: number; readonly misfire: string; readonly overlap: string }
  | { readonly kind: "toggle" }
  | { readonly kind: "togglePipeline" }
  | { readonly kind: "fire" }
  | { readonly kind: "staleFire" }
  | { readonly kind: "endRuns" };

const op: fc.Arbitrary<Op> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("pass" as const), ms: fc.integer({ min: 1, max: 12 * MINUTE }) }) },
  { weight: 4, arbitrary: fc.constant({ kind: "fire" as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("edit" as const),
      step: fc.constantFrom(...STEPS),
      misfire: fc.constantFrom(...MISFIRE_POLICIES),
      overlap: fc.constantFrom(...OVERLAP_POLICIES),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "toggle" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "togglePipeline" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "staleFire" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "endRuns" as const }) },
);

/** Every minute of (from, to] that the step hits, found by walking; knows nothing of the product's own calendar. */
function slots(step: number, from: number, to: number): number[] {
  const hits: number[] = [];
  for (let at = Math.floor(from / MINUTE) * MINUTE; at <= to; at += MINUTE) {
    if (at > from && new Date(at).getUTCMinutes() % step === 0) hits.push(at);
  }
  return hits;
}

test("whatever is edited, switched, ended or fired by a past leader: each expected fire has exactly one line, and expected = sum of verdicts (SCH-5)", async () => {
  let pipelines = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(op, { minLength: 3, maxLength: 18 }), async (ops) => {
      const world = clockedWorld(database, new Date(START).toISOString());
      const projectId = (await makeProject(world.ctx)).id;
      const name = `p-${++pipelines}`;
      let fence = await takeLease(database);
      const publish = (step: number, misfire: string, overlap: string) =>
        publishTimed(world.ctx, projectId, name, [
          { name: "often", cron: `*/${step} * * * *`, timezone: "UTC", misfire: misfire as "latest", overlap: overlap as "queue" },
        ]);
      const { pipelineId } = await publish(1, "latest", "queue");
      const model = {
        step: 1,
        from: START,
        text: "1 latest queue",
        enabled: true,
        pipelineOn: true,
        everOn: true,
        expected: [] as number[],
      };
      const beginWhenOn = () => {
        if (model.enabled && model.pipelineOn && !model.everOn) Object.assign(model, { from: world.now().getTime(), everOn: true });
      };
      const fireAll = async () => {
        for (;;) if (!(await fireDue(world.ctx, fence)).more) return;
      };

      for (const each of [...ops, ...finish(ops)]) {
        switch (each.kind) {
          case "pass":
            world.pass(each.ms);
            break;
          case "fire":
            await fireAll();
            break;
          case "staleFire": {
            const old = fence;
            fence = await takeLease(database);
            await expect(fireDue(world.ctx, old)).rejects.toThrow("is over");
            break;
          }
          case "endRuns":
            await database.sql`update runs set state = 'SUCCESS', ended_at = now() where pipeline_id = ${pipelineId} and state in ('PENDING','RUNNING')`;
            break;
          case "toggle": {
            const [row] = await database.db.select().from(schedules).where(eq(schedules.pipelineId, pipelineId));
            model.enabled = !model.enabled;
            beginWhenOn();
            await toggleSchedule(world.ctx, { projectId, scheduleId: row?.id ?? "", enabled: model.enabled });
            break;
          }
          case "togglePipeline":
            model.pipelineOn = !model.pipelineOn;
            beginWhenOn();
            await setPipelineEnabled(world.ctx, { projectId, pipelineId, enabled: model.pipelineOn });
            break;
          case "edit": {
            const text = `${each.step} ${each.misfire} ${each.overlap}`;
            await publish(each.step, each.misfire, each.overlap);
            if (text === model.text) break;
            const now = world.now().getTime();
            if (model.everOn) model.expected.push(...slots(model.step, model.from, now));
            Object.assign(model, { step: each.step, from: now, text, everOn: model.enabled && model.pipelineOn });
            break;
          }
        }
      }
      model.expected.push(...slots(model.step, model.from, world.now().getTime()));

      const lines = await database.db.select().from(fires).where(eq(fires.pipelineId, pipelineId)).orderBy(asc(fires.fireAt));
      expect(lines.map(({ fireAt }) => fireAt.toISOString())).toEqual(model.expected.map((at) => new Date(at).toISOString()));
      const { sums } = await listFires(world.ctx, { projectId });
      expect(sums).toMatchObject({ expected: model.expected.length, recorded: model.expected.length, balanced: true });
      const made = await database.db.select({ id: runs.id }).from(runs).where(eq(runs.pipelineId, pipelineId));
      expect(made.map(({ id }) => id).sort()).toEqual(lines.flatMap(({ runId }) => runId ?? []).sort());
    }),
    { numRuns: 40 },
  );
}, 120_000);

/** Leaves the schedule on and everything judged. */
function finish(ops: readonly Op[]): Op[] {
  const off = (["toggle", "togglePipeline"] as const).filter((kind) => ops.filter((each) => each.kind === kind).length % 2 === 1);
  return [...off.map((kind) => ({ kind })), { kind: "fire" }];
}
