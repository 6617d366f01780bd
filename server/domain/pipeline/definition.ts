import { z } from "zod";
import { durationSchema } from "../duration";

/**
 * The definition format v1: the one model behind the canvas, the sequence view, YAML and JSON.
 * Every object is strict, so that a misspelt field is an error and never silently ignored.
 */
export const API_VERSION = "apollo11/v1";

export const MAX_NODES = 1_000;
export const MAX_DEFINITION_BYTES = 1_000_000;

const NO_CONTROL_CHARACTERS = /^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]*$/;

/** What to write instead, by the kind of text; a screen translates the kind. */
export const FORMAT_HINTS = {
  control_character: "holds a control character (such as NUL); remove it",
  pipeline_name: "use a-z, 0-9 and -, starting and ending with a letter or digit, at most 64 characters",
  node_key: "use a-z, 0-9 and _, starting with a letter, at most 64 characters",
  param_name: "use letters, digits and _, starting with a letter, at most 64 characters",
  reserved_word: "is a word of the expression language; choose another name",
  code_part: "use upper snake case, such as ORDER",
  group_name: "use a-z, 0-9 and -",
  resource: "write kind:name, such as table:orders",
  variable_name: "not a variable name; use letters, digits and _",
  task_name: "write a task name such as warehouse.load",
  jitter_order: "the first bound is above the second",
  check_overlap: "a status cannot say both that the effect is there and that it is missing",
  enum_values: "values belong to a parameter of type enum, and an enum needs them",
} as const;
export type FormatKind = keyof typeof FORMAT_HINTS;

const EXPRESSION_WORDS: ReadonlySet<string> = new Set(["true", "false", "null", "in"]);
const isNoExpressionWord = (text: string) => !EXPRESSION_WORDS.has(text);

/** Free text that people read: any script and emoji, no control characters. */
export const textSchema = (max: number) => z.string().max(max).regex(NO_CONTROL_CHARACTERS, { error: FORMAT_HINTS.control_character });

export const pipelineNameSchema = z
  .string()
  .max(64)
  .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/, { error: FORMAT_HINTS.pipeline_name });

/** Node keys are CEL identifiers, so that `nodes.<key>.output` reads without quoting. */
export const nodeKeySchema = z
  .string()
  .max(64)
  .regex(/^[a-z][a-z0-9_]*$/, { error: FORMAT_HINTS.node_key })
  .refine(isNoExpressionWord, { error: FORMAT_HINTS.reserved_word });

export const paramNameSchema = z
  .string()
  .max(64)
  .regex(/^[A-Za-z][A-Za-z0-9_]*$/, { error: FORMAT_HINTS.param_name })
  .refine(isNoExpressionWord, { error: FORMAT_HINTS.reserved_word });

const codePartSchema = z
  .string()
  .max(32)
  .regex(/^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/, { error: FORMAT_HINTS.code_part });
export const groupSchema = z
  .string()
  .max(64)
  .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/, { error: FORMAT_HINTS.group_name });
/** What a node touches, as `kind:name`: `table:orders`, `api:billing`, `topic:shipments`. */
const resourceSchema = z
  .string()
  .max(128)
  .regex(/^[a-z][a-z0-9-]*:\S+$/, { error: FORMAT_HINTS.resource });

export const DEFAULT_GROUP = "default";

export const PARAM_TYPES = ["string", "integer", "number", "boolean", "date", "enum", "object"] as const;
export type ParamType = (typeof PARAM_TYPES)[number];

const paramSchema = z
  .strictObject({
    type: z.enum(PARAM_TYPES),
    title: textSchema(200).optional(),
    description: textSchema(2_000).optional(),
    default: z.json().optional(),
    /** A parameter without a default is required unless this says otherwise. */
    required: z.boolean().optional(),
    /** The choices of an `enum`. */
    values: z.array(textSchema(200)).min(1).max(200).optional(),
    min: z.number().optional(),
    max: z.number().optional(),
  })
  .refine((param) => (param.type === "enum") === (param.values !== undefined), {
    error: FORMAT_HINTS.enum_values,
    path: ["values"],
  });

export const CRON_DIALECTS = ["vixie", "quartz"] as const;
export const MISFIRE_POLICIES = ["latest", "all", "none"] as const;
export const OVERLAP_POLICIES = ["skip", "queue", "allow", "cancel_previous"] as const;
export const GAP_POLICIES = ["shift", "skip"] as const;
export const FOLD_POLICIES = ["first", "last", "both"] as const;

/** Shape only; `server/domain/schedule` judges expression and zone. */
export const scheduleSchema = z.strictObject({
  name: pipelineNameSchema,
  cron: textSchema(200).min(1),
  dialect: z.enum(CRON_DIALECTS).default("vixie"),
  timezone: textSchema(64).min(1),
  misfire: z.enum(MISFIRE_POLICIES).default("latest"),
  overlap: z.enum(OVERLAP_POLICIES).default("queue"),
  gap: z.enum(GAP_POLICIES).default("shift"),
  fold: z.enum(FOLD_POLICIES).default("first"),
  enabled: z.boolean().default(true),
  params: z.record(paramNameSchema, z.json()).optional(),
});

export const JOIN_RULES = ["all_success", "all_done", "one_success", "none_failed"] as const;
export type JoinRule = (typeof JOIN_RULES)[number];

const jitterSchema = z
  .tuple([z.number().min(0).max(1), z.number().min(0).max(1)])
  .refine(([low, high]) => low <= high, { error: FORMAT_HINTS.jitter_order });

export const retrySchema = z.union([
  z.strictObject({ policy: z.enum(["default", "none"]) }),
  z.strictObject({
    retries: z.int().min(0).max(20),
    /** Delay before retry 1, 2, …; the last one repeats. */
    delays: z.array(durationSchema).min(1).max(20),
    jitter: jitterSchema.default([0.3, 0.7]),
  }),
]);

const template = (max: number) => textSchema(max);
const templateTree = z.json();

const httpWith = z.strictObject({
  method: z.enum(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"]).default("GET"),
  url: template(4_000).min(1),
  headers: z.record(z.string().max(200), template(4_000)).optional(),
  /** A text is sent as it is; anything else as JSON. */
  body: templateTree.optional(),
  /** Status codes that count as success; default 200–299. */
  accept: z.array(z.int().min(100).max(599)).min(1).max(50).optional(),
});

const statusList = (usual: readonly number[]) =>
  z
    .array(z.int().min(100).max(599))
    .min(1)
    .max(20)
    .default([...usual]);

/**
 * Asked after an attempt of unknown fate, before the node acts again (IDM-5): a status of `found` means that the effect
 * exists, and the answer's body is the node's result; one of `missing`, that it does not, and the node acts; any other, that
 * nobody knows, and the attempt fails. The request carries the node's idempotency key.
 */
const checkSchema = z
  .strictObject({
    method: z.enum(["GET", "HEAD", "POST"]).default("GET"),
    url: template(4_000).min(1),
    headers: z.record(z.string().max(200), template(4_000)).optional(),
    found: statusList([200]),
    missing: statusList([404]),
  })
  .refine(({ found, missing }) => !found.some((status) => missing.includes(status)), {
    error: FORMAT_HINTS.check_overlap,
    path: ["missing"],
  });

const commandWith = z.strictObject({
  argv: z.array(template(8_000)).min(1).max(200),
  env: z
    .record(
      z
        .string()
        .max(200)
        .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: FORMAT_HINTS.variable_name }),
      template(8_000),
    )
    .optional(),
  cwd: template(1_000).optional(),
  stdin: template(64_000).optional(),
});

const handlerWith = z.strictObject({
  /** The name that a worker registered through `defineTask`. */
  task: z
    .string()
    .max(128)
    .regex(/^[A-Za-z][\w.-]*$/, { error: FORMAT_HINTS.task_name }),
  input: templateTree.optional(),
});

const waitWith = z.union([z.strictObject({ for: durationSchema }), z.strictObject({ until: template(200).min(1) })]);

const nodeBase = {
  key: nodeKeySchema,
  title: textSchema(200).optional(),
  description: textSchema(4_000).optional(),
  needs: z.array(nodeKeySchema).max(MAX_NODES).default([]),
  join: z.enum(JOIN_RULES).default("all_success"),
  group: groupSchema.default(DEFAULT_GROUP),
  retry: retrySchema.default({ policy: "default" }),
  /** Limit of one attempt. */
  timeout: durationSchema.default("10m"),
  /** Limit of all attempts together, retry waits included. */
  deadline: durationSchema.default("1h"),
  idempotent: z.boolean().default(false),
  module: codePartSchema.optional(),
  priority: z.int().min(-100).max(100).default(0),
  preemptible: z.boolean().default(false),
  pool: groupSchema.optional(),
  fallback: nodeKeySchema.optional(),
  compensate: nodeKeySchema.optional(),
  reads: z.array(resourceSchema).max(100).default([]),
  writes: z.array(resourceSchema).max(100).default([]),
};

export const STALL_ACTIONS = ["alert", "review", "kill"] as const;
export type StallAction = (typeof STALL_ACTIONS)[number];

/** What is done when a running node gives no sign of progress, neither a line of log nor a progress that it reports (EXC-8). */
export const stallSchema = z.strictObject({ after: durationSchema.default("5m"), action: z.enum(STALL_ACTIONS).default("alert") });

const actingBase = { ...nodeBase, check: checkSchema.optional(), stall: stallSchema.optional() };

export const nodeSchema = z.discriminatedUnion("type", [
  z.strictObject({ ...actingBase, type: z.literal("http"), with: httpWith }),
  z.strictObject({ ...actingBase, type: z.literal("command"), with: commandWith }),
  z.strictObject({ ...actingBase, type: z.literal("handler"), with: handlerWith }),
  z.strictObject({ ...nodeBase, type: z.literal("wait"), with: waitWith }),
]);

export const NODE_TYPES = ["http", "command", "handler", "wait"] as const;
export const TASK_CLASSES = ["basic", "core", "long_running"] as const;
export const FAILURE_POLICIES = ["pause", "fail", "continue"] as const;

export const definitionSchema = z.strictObject({
  apiVersion: z.literal(API_VERSION),
  kind: z.literal("Pipeline"),
  metadata: z.strictObject({
    name: pipelineNameSchema,
    title: textSchema(200).min(1),
    description: textSchema(4_000).optional(),
    owner: textSchema(200).min(1),
    labels: z.record(z.string().max(64), textSchema(200)).default({}),
  }),
  spec: z.strictObject({
    domain: codePartSchema,
    taskClass: z.enum(TASK_CLASSES).default("basic"),
    onFailure: z.enum(FAILURE_POLICIES).default("pause"),
    /** For every node that leaves its own at the default. */
    retry: retrySchema.optional(),
    /** Runs at a time; absent means no limit. */
    concurrency: z.int().min(1).max(1_000).optional(),
    params: z.record(paramNameSchema, paramSchema).default({}),
    /** Names of params that identify the business object of a run, such as order_id. */
    businessKeys: z.array(paramNameSchema).max(20).default([]),
    schedules: z.array(scheduleSchema).max(50).default([]),
    nodes: z.array(nodeSchema).max(MAX_NODES).default([]),
  }),
});

export type PipelineDefinition = z.infer<typeof definitionSchema>;
/** What an author may write: defaults left out. */
export type PipelineDefinitionInput = z.input<typeof definitionSchema>;
export type NodeDefinition = z.infer<typeof nodeSchema>;
export type IdempotencyCheck = z.infer<typeof checkSchema>;
export type NodeType = NodeDefinition["type"];
export type ParamDefinition = z.infer<typeof paramSchema>;
export type ScheduleDefinition = z.infer<typeof scheduleSchema>;
export type RetryDefinition = z.infer<typeof retrySchema>;
export type CronDialect = (typeof CRON_DIALECTS)[number];
export type MisfirePolicy = (typeof MISFIRE_POLICIES)[number];
export type OverlapPolicy = (typeof OVERLAP_POLICIES)[number];
export type GapPolicy = (typeof GAP_POLICIES)[number];
export type FoldPolicy = (typeof FOLD_POLICIES)[number];
export type TaskClass = (typeof TASK_CLASSES)[number];
export type FailurePolicy = (typeof FAILURE_POLICIES)[number];
