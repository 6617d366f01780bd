import { and, desc, eq, inArray, sql } from "drizzle-orm";
import type { Executor, Tx } from "@/db/client";
import { errorCodes } from "@/db/schema/codes";
import { pipelines } from "@/db/schema/pipelines";
import { nodeRuns, runEvents, runs } from "@/db/schema/runs";
import { textArray } from "@/db/statements/array";
import type { Grade } from "@/server/domain/alert/grade";
import type { Occurrence } from "@/server/domain/alert/model";
import type { AlertPolicy } from "@/server/domain/alert/policy";
import type { PipelineHealth, TaskClass } from "@/server/domain/alert/task-class";
import type { InboxEntry } from "./inbox";

/** Of a failure that carries no code, as one that a rule of the run decided on. */
const UNCODED = "APOLLO_NODE_FAILED_500";
/** How many of a pipeline's newest runs its rate is taken of; a bound of 0.1 % needs many. */
const RUNS_LOOKED_AT: Readonly<Record<TaskClass, number>> = { basic: 100, core: 2_000, long_running: 0 };

export interface Failure extends Omit<Occurrence, "taskClass" | "health" | "codeGrade"> {
  readonly projectId: string;
}

/** The events behind entries of the inbox, as what occurred. Index: the primary keys. */
export async function loadFailures(tx: Tx, entries: readonly InboxEntry[]): Promise<Failure[]> {
  // As two arrays: one text, and so one plan, however many there are.
  const runIds = textArray(entries.map(({ runId }) => runId));
  const eventIds = textArray(entries.map(({ eventId }) => String(eventId)));
  const rows = await tx
    .select({
      event: runEvents,
      projectId: runs.projectId,
      runState: runs.state,
      pipeline: { id: pipelines.id, name: pipelines.name, owner: pipelines.owner },
      nodeCode: nodeRuns.errorCode,
      nodeMessage: nodeRuns.errorMessage,
    })
    .from(runEvents)
    .innerJoin(runs, eq(runs.id, runEvents.runId))
    .innerJoin(pipelines, eq(pipelines.id, runs.pipelineId))
    .leftJoin(nodeRuns, and(eq(nodeRuns.runId, runEvents.runId), eq(nodeRuns.key, runEvents.nodeKey)))
    .where(sql`(${runEvents.runId}, ${runEvents.id}) in (select * from unnest(${runIds}::uuid[], ${eventIds}::bigint[]))`);
  return rows.map(({ event, projectId, runState, pipeline, nodeCode, nodeMessage }) => ({
    projectId,
    ref: `event/${event.id}`,
    at: event.at,
    code: textOf(event.data.code) ?? nodeCode ?? UNCODED,
    message: textOf(event.data.message) ?? nodeMessage ?? event.cause,
    kind: "failure",
    object: {
      task: `${event.runId}/${event.nodeKey}`,
      runId: event.runId,
      nodeKey: event.nodeKey,
      pipelineId: pipeline.id,
      label: `${pipeline.name} / ${event.nodeKey}`,
      owner: pipeline.owner,
    },
    suspended: runState === "PAUSED",
  }));
}

const textOf = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

/** What occurred with the grade of its code, the class of its pipeline, and how that pipeline does. */
export async function withHealth(tx: Tx, failures: readonly Failure[], policy: AlertPolicy): Promise<Occurrence[]> {
  const failing = new Map<string, Set<string>>();
  for (const { object } of failures) {
    if (object.pipelineId && object.runId) failing.set(object.pipelineId, (failing.get(object.pipelineId) ?? new Set()).add(object.runId));
  }
  const classOf = (pipelineId: string | null) => policy.classes[pipelineId ?? ""] ?? "basic";
  const healths = new Map<string, PipelineHealth>();
  for (const [pipelineId, failed] of failing)
    healths.set(pipelineId, await healthOf(tx, pipelineId, failed, RUNS_LOOKED_AT[classOf(pipelineId)]));
  const grades = await gradesOf(tx, failures);
  return failures.map(({ projectId, ...failure }) => ({
    ...failure,
    codeGrade: grades.get(codeKeyOf(projectId, failure.code)) ?? null,
    taskClass: classOf(failure.object.pipelineId),
    health: healths.get(failure.object.pipelineId ?? "") ?? { runs: 0, unhealthy: 0, inARow: 0 },
  }));
}

export const codeKeyOf = (projectId: string, code: string): string => `${projectId} ${code}`;

/** What the register says of these codes, each in its own project. Index: error_codes_code. */
export async function gradesOf(
  db: Executor,
  failures: readonly Pick<Failure, "projectId" | "code">[],
): Promise<ReadonlyMap<string, Grade>> {
  const places = [...new Map(failures.map(({ projectId, code }) => [codeKeyOf(projectId, code), { projectId, code }])).values()];
  if (places.length === 0) return new Map();
  const projectIds = textArray(places.map(({ projectId }) => projectId));
  const codes = textArray(places.map(({ code }) => code));
  const rows = await db
    .select({ projectId: errorCodes.projectId, code: errorCodes.code, grade: errorCodes.grade })
    .from(errorCodes)
    .where(
      and(
        eq(errorCodes.state, "registered"),
        sql`(${errorCodes.projectId}, ${errorCodes.code}) in (select * from unnest(${projectIds}::uuid[], ${codes}::text[]))`,
      ),
    );
  return new Map(rows.map(({ projectId, code, grade }) => [codeKeyOf(projectId, code), grade as Grade]));
}

/** How the newest runs of a pipeline ended; `failing` have a node that failed, though they may go on. Index: runs_pipeline. */
async function healthOf(tx: Tx, pipelineId: string, failing: ReadonlySet<string>, most: number): Promise<PipelineHealth> {
  if (most === 0) return { runs: 0, unhealthy: 0, inARow: 0 };
  const newest = await tx
    .select({ id: runs.id, state: runs.state, byPerson: runs.pausedByPerson })
    .from(runs)
    .where(and(eq(runs.pipelineId, pipelineId), inArray(runs.state, ["SUCCESS", "FAILED", "PAUSED", "RUNNING"])))
    .orderBy(desc(runs.id))
    .limit(most);
  const told = newest.filter(({ id, state }) => state !== "RUNNING" || failing.has(id));
  const isBad = ({ id, state, byPerson }: (typeof newest)[number]) =>
    failing.has(id) || state === "FAILED" || (state === "PAUSED" && !byPerson);
  const firstGood = told.findIndex((run) => !isBad(run));
  return { runs: told.length, unhealthy: told.filter(isBad).length, inARow: firstGood < 0 ? told.length : firstGood };
}
