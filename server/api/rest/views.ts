import { z } from "@hono/zod-openapi";
import type { Page } from "@/server/domain/paging";
import type { AuditRow } from "@/server/engine/audit/list-audit";
import type { RunRow } from "@/server/engine/runs/list-runs";
import type { LogView } from "@/server/engine/runs/load-logs";
import type { AttemptView, NodeView, RunView } from "@/server/engine/runs/load-run";

const instant = z.iso.datetime().openapi({ format: "date-time" });
const fault = z.object({ code: z.string(), message: z.string() }).nullable();

export const attemptSchema = z
  .object({
    no: z.int(),
    generation: z.int(),
    state: z.string(),
    outcome: z.string().nullable(),
    executionId: z.uuid(),
    token: z.int(),
    workerId: z.string().nullable(),
    traceId: z.string(),
    queuedAt: instant.nullable(),
    dispatchedAt: instant,
    pickedUpAt: instant.nullable(),
    executingAt: instant.nullable(),
    committedAt: instant.nullable(),
    inputs: z.unknown(),
    output: z.unknown(),
    response: z.unknown(),
    bodiesOmitted: z.boolean().openapi({ description: "Inputs, output and response are large, and were left out." }),
    error: fault,
    logBytes: z.int(),
    logTruncated: z.boolean(),
    maybeRepeated: z.boolean(),
    innerRetries: z.int().openapi({ description: "Failed calls that the task itself made again; they count as retries of the node." }),
  })
  .openapi("Attempt");

export const nodeSchema = z
  .object({
    key: z.string(),
    title: z.string().nullable(),
    type: z.string(),
    group: z.string(),
    needs: z.array(z.string()),
    state: z.string(),
    executionId: z.uuid().openapi({ description: "Stays the same over retries; a completed node that runs again gets a new one." }),
    generation: z.int(),
    output: z.unknown(),
    outputOmitted: z.boolean().openapi({ description: "The output is large, or those of the run are together, and it was left out." }),
    error: fault,
    startedAt: instant.nullable(),
    endedAt: instant.nullable(),
    dueAt: instant.nullable(),
    waitsFor: z
      .union([
        z.object({ kind: z.enum(["pool", "group"]), name: z.string(), slots: z.int().nullable(), taken: z.int() }),
        z.object({ kind: z.literal("valve"), no: z.int(), label: z.string(), reason: z.string(), by: z.string(), since: instant }),
      ])
      .nullable()
      .openapi({ description: "The limit or the stop valve that keeps it from starting; `slots` is null for a pool that is not there." }),
    possible: z.array(z.string()).openapi({ description: "What may be done to it now." }),
    attempts: z.array(attemptSchema),
  })
  .openapi("NodeRun");

export const runSchema = z
  .object({
    id: z.uuid(),
    state: z.string(),
    pipeline: z.string(),
    version: z.int(),
    params: z.record(z.string(), z.unknown()),
    businessKeys: z.record(z.string(), z.string()),
    trigger: z.object({ kind: z.string(), by: z.string(), scheduledAt: instant.nullable() }),
    rerunOf: z.uuid().nullable(),
    traceId: z.string(),
    createdAt: instant,
    startedAt: instant.nullable(),
    endedAt: instant.nullable(),
    possible: z.array(z.string()),
    nodes: z.array(nodeSchema),
  })
  .openapi("Run");

export const runRowSchema = runSchema
  .pick({
    id: true,
    state: true,
    pipeline: true,
    version: true,
    businessKeys: true,
    trigger: true,
    createdAt: true,
    startedAt: true,
    endedAt: true,
  })
  .extend({ nodes: z.record(z.string(), z.int()).openapi({ description: "Nodes by state." }) })
  .openapi("RunRow");

export const pageSchema = <Item extends z.ZodType>(item: Item) => z.object({ items: z.array(item), nextCursor: z.string().nullable() });

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;

const attemptJson = (attempt: AttemptView) => ({
  no: attempt.no,
  generation: attempt.generation,
  state: attempt.state,
  outcome: attempt.outcome,
  executionId: attempt.executionId,
  token: attempt.token,
  workerId: attempt.worker?.id ?? null,
  traceId: attempt.traceId,
  queuedAt: iso(attempt.times.queuedAt),
  dispatchedAt: attempt.times.dispatchedAt.toISOString(),
  pickedUpAt: iso(attempt.times.pickedUpAt),
  executingAt: iso(attempt.times.executingAt),
  committedAt: iso(attempt.times.committedAt),
  inputs: attempt.inputs ?? null,
  output: attempt.output ?? null,
  response: attempt.response,
  bodiesOmitted: attempt.bodiesOmitted,
  error: attempt.error,
  logBytes: attempt.logBytes,
  logTruncated: attempt.logTruncated,
  maybeRepeated: attempt.maybeRepeated,
  innerRetries: attempt.innerRetries,
});

const nodeJson = (node: NodeView) => ({
  key: node.key,
  title: node.title,
  type: node.type,
  group: node.group,
  needs: node.needs,
  state: node.state,
  executionId: node.executionId,
  generation: node.generation,
  output: node.output ?? null,
  outputOmitted: node.outputOmitted,
  error: node.error,
  startedAt: iso(node.times.startedAt),
  endedAt: iso(node.times.endedAt),
  dueAt: iso(node.times.dueAt),
  waitsFor: node.waitsFor?.kind === "valve" ? { ...node.waitsFor, since: node.waitsFor.since.toISOString() } : node.waitsFor,
  possible: node.possible,
  attempts: node.attempts.map(attemptJson),
});

const triggerJson = (trigger: RunRow["trigger"] | RunView["trigger"]) => ({
  kind: trigger.kind,
  by: trigger.actor.label,
  scheduledAt: iso(trigger.scheduledAt),
});

const timesJson = (times: RunView["times"]) => ({
  createdAt: times.createdAt.toISOString(),
  startedAt: iso(times.startedAt),
  endedAt: iso(times.endedAt),
});

/** A run as scripts read it. */
export const runJson = (run: RunView): z.input<typeof runSchema> => ({
  id: run.id,
  state: run.state,
  pipeline: run.pipeline.name,
  version: run.version.no,
  params: { ...run.params },
  businessKeys: { ...run.businessKeys },
  trigger: triggerJson(run.trigger),
  rerunOf: run.rerunOf,
  traceId: run.traceId,
  ...timesJson(run.times),
  possible: [...run.possible],
  nodes: run.nodes.map((node) => ({ ...nodeJson(node), needs: [...node.needs], possible: [...node.possible] })),
});

export const runRowJson = (run: RunRow): z.input<typeof runRowSchema> => ({
  id: run.id,
  state: run.state,
  pipeline: run.pipeline.name,
  version: run.versionNo,
  businessKeys: { ...run.businessKeys },
  trigger: triggerJson(run.trigger),
  ...timesJson(run.times),
  nodes: { ...run.nodes },
});

export const logSchema = z
  .object({
    generation: z.int(),
    attempt: z.int(),
    lines: z.array(z.object({ chunk: z.int(), at: z.string(), stream: z.string(), text: z.string() })),
    lastChunk: z.int().nullable().openapi({ description: "Hand it back as `after` to read on." }),
    olderExist: z.boolean(),
    ended: z.boolean(),
    bytes: z.int(),
    truncated: z.boolean(),
  })
  .openapi("Log");

export const logJson = (log: LogView): z.input<typeof logSchema> => ({
  generation: log.generation,
  attempt: log.attempt,
  lines: log.chunks.flatMap(({ chunk, lines }) => lines.map((line) => ({ chunk, ...line }))),
  lastChunk: log.chunks.at(-1)?.chunk ?? null,
  olderExist: log.olderExist,
  ended: log.ended,
  bytes: log.bytes,
  truncated: log.truncated,
});

const party = z.object({ kind: z.string(), id: z.string(), label: z.string() });
export const auditSchema = z
  .object({
    id: z.uuid(),
    seq: z.int(),
    at: instant,
    actor: party,
    verb: z.string(),
    object: party,
    reason: z.string().nullable(),
    before: z.unknown(),
    after: z.unknown(),
    source: z.record(z.string(), z.unknown()),
    requestId: z.string(),
    hash: z.string(),
  })
  .openapi("AuditRow");

export const auditJson = (row: AuditRow): z.input<typeof auditSchema> => ({ ...row, at: row.at.toISOString(), source: { ...row.source } });

export const pageJson = <Row, Item>(page: Page<Row>, map: (row: Row) => Item) => ({
  items: page.items.map(map),
  nextCursor: page.nextCursor,
});
