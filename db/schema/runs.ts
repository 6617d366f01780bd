import { sql } from "drizzle-orm";
import { bigint, boolean, check, index, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { bytea, id, instant } from "./columns";

// Everything here but run_requests and slots is partitioned by month: `runs` on its own id, what lies under a run on
// run_id, `executions` on execution_id. All of them are UUIDv7 that carry the run's millisecond, so they leave together.

export const runs = pgTable(
  "runs",
  {
    id: id().primaryKey(),
    projectId: id("project_id").notNull(),
    pipelineId: id("pipeline_id").notNull(),
    versionId: id("version_id").notNull(),
    versionNo: integer("version_no").notNull(),
    state: text("state").notNull(),
    /** Raised by every decision on the run; a settle that saw an older one decides again. */
    seq: integer("seq").notNull().default(0),
    triggerKind: text("trigger_kind").notNull(),
    /** Who or what started it: {kind,id,label} as in domain/run/model Actor. */
    actor: jsonb("actor").$type<{ kind: string; id: string; label: string }>().notNull(),
    scheduleId: id("schedule_id"),
    scheduledAt: instant("scheduled_at"),
    params: jsonb("params").$type<Record<string, unknown>>().notNull().default({}),
    businessKeys: jsonb("business_keys").$type<Record<string, string>>().notNull().default({}),
    priority: integer("priority").notNull().default(0),
    pausedByPerson: boolean("paused_by_person").notNull().default(false),
    cancelRequestedAt: instant("cancel_requested_at"),
    /** Starts only when no earlier run of its schedule is alive. */
    afterEarlier: boolean("after_earlier").notNull().default(false),
    /** The run that this one repeats. */
    rerunOf: id("rerun_of"),
    traceId: text("trace_id").notNull(),
    createdAt: instant("created_at").notNull().default(sql`clock_timestamp()`),
    startedAt: instant("started_at"),
    endedAt: instant("ended_at"),
  },
  (t) => [
    // Read backwards for the newest: an index declared DESC NULLS LAST would not serve `order by id desc`.
    index("runs_project").on(t.projectId, t.id),
    index("runs_pipeline").on(t.pipelineId, t.id),
    index("runs_live").on(t.pipelineId, t.id).where(sql`${t.state} in ('PENDING','RUNNING','PAUSED')`),
    index("runs_waiting").on(t.pipelineId, t.id).where(sql`${t.state} = 'PENDING'`),
    index("runs_live_schedule")
      .on(t.scheduleId, t.id)
      .where(sql`${t.state} in ('PENDING','RUNNING','PAUSED') and ${t.scheduleId} is not null`),
    check("runs_state", sql`${t.state} in ('PENDING','RUNNING','PAUSED','SUCCESS','FAILED','CANCELED')`),
    check("runs_trigger", sql`${t.triggerKind} in ('manual','api','schedule','rerun')`),
  ],
);

/** Makes a repeated trigger the same run: the idempotency key of the caller. */
export const runRequests = pgTable(
  "run_requests",
  {
    projectId: id("project_id").notNull(),
    key: text("key").notNull(),
    /** Of the pipeline and params: the same key with another request is refused. */
    requestHash: text("request_hash").notNull(),
    runId: id("run_id").notNull(),
    createdAt: instant("created_at").notNull().default(sql`clock_timestamp()`),
  },
  // By age: they are removed after 30 days.
  (t) => [primaryKey({ columns: [t.projectId, t.key] }), index("run_requests_created").on(t.createdAt)],
);

export const nodeRuns = pgTable(
  "node_runs",
  {
    runId: id("run_id").notNull(),
    key: text("key").notNull(),
    ord: integer("ord").notNull(),
    type: text("type").notNull(),
    workerGroup: text("worker_group").notNull(),
    state: text("state").notNull(),
    generation: integer("generation").notNull().default(1),
    executionId: id("execution_id").notNull(),
    token: integer("token").notNull().default(0),
    /** Attempts of this generation; each has a row in attempts. */
    attemptNo: integer("attempt_no").notNull().default(0),
    /** Those of them that count against the retry budget: a hand-back counts none. */
    attempts: integer("attempts").notNull().default(0),
    skipCause: text("skip_cause"),
    /** Limits of one attempt and of all together, and the predecessors that it reads: what a claim needs of the plan. */
    timeoutMs: bigint("timeout_ms", { mode: "number" }).notNull(),
    deadlineMs: bigint("deadline_ms", { mode: "number" }).notNull(),
    inputsFrom: text("inputs_from").array().notNull().default(sql`'{}'::text[]`),
    /** The slots that it needs one of, `pool:<project>:<name>`; empty where it names no pool. */
    poolKey: text("pool_key").notNull().default(""),
    /** Held by a pause; the claim passes it by. */
    held: boolean("held").notNull().default(false),
    priority: integer("priority").notNull().default(0),
    /** ready_at − priority × 5 min, fixed when ready: ageing is free. */
    rank: instant("rank"),
    readyAt: instant("ready_at"),
    queuedAt: instant("queued_at"),
    /** RETRYING: when to queue again. RUNNING wait: when it ends. */
    dueAt: instant("due_at"),
    /** RUNNING: the end of this attempt's time. */
    timeoutAt: instant("timeout_at"),
    /** The end of all attempts' time, set by the first one's start. */
    deadlineAt: instant("deadline_at"),
    startedAt: instant("started_at"),
    endedAt: instant("ended_at"),
    workerId: text("worker_id"),
    workerBoot: id("worker_boot"),
    errorCode: text("error_code"),
    errorMessage: text("error_message"),
    /** An attempt's fate is unknown: its effect may have happened twice at a receiver that ignores the key. */
    maybeRepeated: boolean("maybe_repeated").notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.runId, t.key] }),
    // By pool: what waits for a full one stands before nobody else.
    index("node_runs_ready").on(t.workerGroup, t.poolKey, t.rank).where(sql`${t.state} = 'QUEUED' and not ${t.held}`),
    index("node_runs_due").on(t.dueAt).where(sql`${t.state} in ('RETRYING','RUNNING') and ${t.dueAt} is not null`),
    index("node_runs_timeout").on(t.timeoutAt).where(sql`${t.state} = 'RUNNING'`),
    // What was queued for the first time has no deadline yet, and no entry.
    index("node_runs_deadline").on(t.deadlineAt).where(sql`${t.state} in ('QUEUED','RUNNING','RETRYING') and ${t.deadlineAt} is not null`),
    // A retry that no time is set for, which nothing else would find.
    index("node_runs_unset_retry").on(t.runId).where(sql`${t.state} = 'RETRYING' and ${t.dueAt} is null`),
    index("node_runs_worker").on(t.workerId).where(sql`${t.state} = 'RUNNING'`),
    check(
      "node_runs_state",
      sql`${t.state} in ('PENDING','QUEUED','RUNNING','RETRYING','AWAITING_APPROVAL','MANUAL_REVIEW','SUCCESS','FAILED','TIMEOUT','CANCELED','SKIPPED')`,
    ),
    check("node_runs_skip_cause", sql`${t.skipCause} in ('person','branch','upstream','degraded')`),
  ],
);

/** The register (IDM-2): unique everywhere, forward only. */
export const executions = pgTable(
  "executions",
  {
    executionId: id("execution_id").primaryKey(),
    runId: id("run_id").notNull(),
    nodeKey: text("node_key").notNull(),
    state: text("state").notNull().default("REGISTERED"),
    token: integer("token").notNull().default(0),
    /** The accepted output, kept once completed; predecessors' outputs are read from here. */
    result: jsonb("result").$type<unknown>(),
    /** `worker`, or `person` for "mark success". */
    completedBy: text("completed_by"),
    /** The completed execution whose effect this one will repeat. */
    replaces: id("replaces"),
    registeredAt: instant("registered_at").notNull().default(sql`clock_timestamp()`),
    executingAt: instant("executing_at"),
    completedAt: instant("completed_at"),
  },
  (t) => [check("executions_state", sql`${t.state} in ('REGISTERED','EXECUTING','COMPLETED')`)],
);

/** One try, with its context snapshot (RUN-8). Secrets are never in it. */
export const attempts = pgTable(
  "attempts",
  {
    runId: id("run_id").notNull(),
    nodeKey: text("node_key").notNull(),
    generation: integer("generation").notNull(),
    no: integer("no").notNull(),
    executionId: id("execution_id").notNull(),
    token: integer("token").notNull(),
    /** Null while it executes. */
    outcome: text("outcome"),
    workerId: text("worker_id"),
    workerBoot: id("worker_boot"),
    /** {fingerprint, versions} of the worker at that moment. */
    worker: jsonb("worker").$type<Record<string, unknown>>(),
    /** Predecessor key → execution id whose output was read. */
    refs: jsonb("refs").$type<Record<string, string>>().notNull().default({}),
    runState: text("run_state").notNull(),
    /** As resolved, secrets by reference. */
    inputs: jsonb("inputs").$type<unknown>(),
    output: jsonb("output").$type<unknown>(),
    /** What the downstream service or process answered: status, headers, exit code, signal. */
    response: jsonb("response").$type<Record<string, unknown>>(),
    errorCode: text("error_code"),
    errorMessage: text("error_message"),
    traceId: text("trace_id").notNull(),
    spanId: text("span_id").notNull(),
    queuedAt: instant("queued_at"),
    dispatchedAt: instant("dispatched_at").notNull(),
    pickedUpAt: instant("picked_up_at"),
    executingAt: instant("executing_at"),
    committedAt: instant("committed_at"),
    logBytes: bigint("log_bytes", { mode: "number" }).notNull().default(0),
    logTruncated: boolean("log_truncated").notNull().default(false),
    maybeRepeated: boolean("maybe_repeated").notNull().default(false),
    handedOn: boolean("handed_on").notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.runId, t.nodeKey, t.generation, t.no] }),
    // What ended lately. A BRIN, since it leaves an update within its page: all of the claim's and the settle's are.
    index("attempts_ended").using("brin", t.committedAt).with({ autosummarize: true }),
    check("attempts_outcome", sql`${t.outcome} in ('succeeded','failed','timed_out','lost','canceled','handed_back')`),
  ],
);

/** Append-only and complete: any past state of a run is a fold over it (RUN-9). `id` comes from one sequence, in causal order per node. */
export const runEvents = pgTable(
  "run_events",
  {
    runId: id("run_id").notNull(),
    id: bigint("id", { mode: "number" }).notNull().default(sql`nextval('run_event_ids')`),
    at: instant("at").notNull().default(sql`clock_timestamp()`),
    /** NodeEvent, or `run.<what>` for the run itself, or `late.<NodeEvent>` for what was recorded and not applied. */
    event: text("event").notNull(),
    nodeKey: text("node_key"),
    generation: integer("generation"),
    attemptNo: integer("attempt_no"),
    from: text("from_state"),
    to: text("to_state"),
    actor: jsonb("actor").$type<{ kind: string; id: string; label: string }>().notNull(),
    cause: text("cause").notNull(),
    data: jsonb("data").$type<Record<string, unknown>>().notNull().default({}),
  },
  (t) => [primaryKey({ columns: [t.runId, t.id] })],
);

/** EXC-2: committed with the state change, masked before it left the worker. */
export const errorEvents = pgTable(
  "error_events",
  {
    runId: id("run_id").notNull(),
    id: id().notNull(),
    projectId: id("project_id").notNull(),
    pipelineId: id("pipeline_id").notNull(),
    nodeKey: text("node_key").notNull(),
    generation: integer("generation").notNull(),
    attemptNo: integer("attempt_no").notNull(),
    executionId: id("execution_id").notNull(),
    code: text("code").notNull(),
    /** The worker's own code, where the inbox had been taught that it is another's (EXC-1). */
    saidCode: text("said_code"),
    message: text("message").notNull(),
    stack: text("stack"),
    stackHash: text("stack_hash"),
    retryCount: integer("retry_count").notNull(),
    context: jsonb("context").$type<Record<string, string>>().notNull().default({}),
    traceId: text("trace_id").notNull(),
    workerId: text("worker_id"),
    at: instant("at").notNull().default(sql`clock_timestamp()`),
    /** The message without what changes from one event to the next, such as ids: events that are alike have the same. */
    shape: text("shape").generatedAlwaysAs(sql`message_shape(message)`),
  },
  (t) => [
    primaryKey({ columns: [t.runId, t.id] }),
    index("error_events_task").on(t.runId, t.nodeKey, t.at),
    index("error_events_project_time").on(t.projectId, t.at),
    index("error_events_code").on(t.projectId, t.code, t.at),
    index("error_events_worker").on(t.workerId, t.at),
  ],
);

export const logChunks = pgTable(
  "log_chunks",
  {
    runId: id("run_id").notNull(),
    nodeKey: text("node_key").notNull(),
    generation: integer("generation").notNull(),
    attemptNo: integer("attempt_no").notNull(),
    chunk: integer("chunk").notNull(),
    /** Lines as JSON array of {at, stream, text}; compressed by TOAST. */
    lines: jsonb("lines").$type<{ at: string; stream: "stdout" | "stderr" | "system"; text: string }[]>().notNull(),
    bytes: integer("bytes").notNull(),
    at: instant("at").notNull().default(sql`clock_timestamp()`),
  },
  (t) => [primaryKey({ columns: [t.runId, t.nodeKey, t.generation, t.attemptNo, t.chunk] })],
);

/**
 * One row per free or taken slot of a pool, `pool:<project>:<name>`, or of a group with a limit, `group:<name>`; taken by the
 * claim, cleared by the commit that ends the attempt. A group with no row has no limit.
 */
export const slots = pgTable(
  "slots",
  {
    key: text("key").notNull(),
    no: integer("no").notNull(),
    runId: id("run_id"),
    nodeKey: text("node_key"),
    token: integer("token"),
    /** Of a limit that was lowered below what runs: nobody takes it again once it is free. */
    retired: boolean("retired").notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.key, t.no] }),
    index("slots_free").on(t.key, t.no).where(sql`${t.runId} is null and not ${t.retired}`),
    index("slots_taken").on(t.runId).where(sql`${t.runId} is not null`),
  ],
);

export const blobs = pgTable("blobs", {
  /** SHA-256 of the content. */
  hash: text("hash").primaryKey(),
  bytes: bytea("bytes").notNull(),
  createdAt: instant("created_at").notNull().default(sql`clock_timestamp()`),
});
