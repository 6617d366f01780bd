import { z } from "zod";
import { TaskError, type TaskErrorOptions } from "./task-error";

/** What a task gets beside its input. */
export interface TaskContext {
  /** The same over every attempt of this execution: send it as `Idempotency-Key` to whatever you call. */
  readonly executionId: string;
  /** Grows with every attempt: a store that remembers the highest one can refuse a late writer. */
  readonly token: number;
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly runId: string;
  readonly nodeKey: string;
  /** W3C trace context; send it along. */
  readonly traceparent: string;
  /** Aborted when the attempt is cancelled or out of time: stop soon, the process is ended a little later. */
  readonly signal: AbortSignal;
  readonly log: TaskLog;
  /**
   * `fetch` that sends the idempotency key and the trace along, and ends with the attempt. Do not retry with it: a call that
   * is made again after it failed is counted, shown at the node, and taken from its retries.
   */
  readonly fetch: typeof fetch;
  /** Declares a retry that another client made inside, so that it is counted too. */
  declareRetry(of?: string): void;
  /** Says that the work goes on, and how far it is (0 to 1). */
  progress(done: number, note?: string): void;
  /** An error with a code of your own; throw it. `error("SHORTAGE", 409, "…")` becomes `ORDER_INVENTORY_SHORTAGE_409`. */
  error(status: string, number: number, message: string, options?: TaskErrorOptions): TaskError;
}

export interface TaskLog {
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
}

export interface TaskDefinition<Input extends z.ZodType, Output extends z.ZodType> {
  /** Stands in `with.task` of a node: `warehouse.load`. */
  readonly name: string;
  readonly input: Input;
  readonly output: Output;
  run(ctx: TaskContext, input: z.output<Input>): Promise<z.input<Output>> | z.input<Output>;
}

/** What `defineTask` makes: a definition that the worker finds among a file's exports. */
export interface Task {
  readonly [BRAND]: true;
  readonly name: string;
  /** JSON Schemas, for the editor's form. */
  readonly inputSchema: unknown;
  readonly outputSchema: unknown;
  /** Checks the input, runs, checks the output. */
  execute(ctx: TaskContext, input: unknown): Promise<unknown>;
}

const BRAND = Symbol.for("apollo11.task");
const NAME = /^[A-Za-z][\w.-]{0,127}$/;

/**
 * Registers a function that `handler` nodes call. Input and output are checked on every attempt; do not retry inside:
 * throw, and the node's retry policy decides.
 */
export function defineTask<Input extends z.ZodType, Output extends z.ZodType>(definition: TaskDefinition<Input, Output>): Task {
  const { name, input, output } = definition;
  if (!NAME.test(name)) {
    throw new TypeError(`"${name}" is no task name; use letters, digits, dots, - and _, starting with a letter, at most 128 characters`);
  }
  return {
    [BRAND]: true,
    name,
    inputSchema: jsonSchema(input, "input"),
    outputSchema: jsonSchema(output, "output"),
    execute: async (ctx, given) => {
      const parsed = await input.safeParseAsync(given);
      if (!parsed.success) throw invalid("INPUT_VALIDATION", `the input of ${name}`, parsed.error);
      const made = await definition.run(ctx, parsed.data);
      const checked = await output.safeParseAsync(made);
      if (!checked.success) throw invalid("OUTPUT_VALIDATION", `the output of ${name}`, checked.error);
      return checked.data;
    },
  };
}

/** Whether an export of a handler file is a task, whichever copy of the SDK made it. */
export function isTask(value: unknown): value is Task {
  return typeof value === "object" && value !== null && BRAND in value;
}

function invalid(status: string, what: string, error: z.ZodError): TaskError {
  const named = error.issues.slice(0, 3).map((issue) => `${issue.path.join(".") || "the value"}: ${issue.message}`);
  return new TaskError(status, 422, `${what} does not fit its schema. ${named.join("; ")}`, { retryable: false });
}

/** A schema without a JSON form (a transform, a date) still runs; the form in the editor is then free text. */
function jsonSchema(schema: z.ZodType, io: "input" | "output"): unknown {
  try {
    return z.toJSONSchema(schema, { io, unrepresentable: "any" });
  } catch {
    return {};
  }
}
