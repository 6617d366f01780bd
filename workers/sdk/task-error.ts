export interface TaskErrorOptions {
  /** False where another attempt cannot help, such as a refused input. Default true. */
  readonly retryable?: boolean;
  /** Wait at least this long before the next attempt. */
  readonly retryAfterMs?: number;
  /** Business keys for the error event, such as `order_id`. */
  readonly context?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

const BRAND = Symbol.for("apollo11.task-error");

/** A failure with a code that its author chose: the status and the number; domain and module come from the pipeline. */
export class TaskError extends Error {
  readonly [BRAND] = true;
  readonly status: string;
  readonly number: number;
  readonly retryable: boolean;
  readonly retryAfterMs: number | null;
  readonly context: Readonly<Record<string, string>>;

  constructor(status: string, number: number, message: string, options: TaskErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "TaskError";
    this.status = status;
    this.number = number;
    this.retryable = options.retryable ?? true;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.context = options.context ?? {};
  }
}

/** Whichever copy of the SDK made it. */
export function isTaskError(error: unknown): error is TaskError {
  return error instanceof Error && BRAND in error;
}
