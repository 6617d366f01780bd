/** The closed list of our own refusals; adapters map each to one HTTP status. */
export const FAILURE_STATUS = {
  invalid_input: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  stale: 409,
  illegal_transition: 409,
  too_large: 413,
  unprocessable: 422,
  too_many_requests: 429,
  unavailable: 503,
} as const;

export type FailureCode = keyof typeof FAILURE_STATUS;

/** One thing that is wrong with an input: where it stands and what to do about it. */
export interface InputIssue {
  /** Path into the input, such as `spec.nodes[2].with.url`. */
  readonly path: string;
  readonly message: string;
  /** Stable word for tests and translations, such as `cycle` or `missing_reference`. */
  readonly code: string;
}

/**
 * A refusal that a caller can act on. The message says what is wrong, where, and what to do;
 * anything else that is thrown is a bug and becomes a 500.
 */
export class DomainError extends Error {
  readonly code: FailureCode;
  readonly issues: readonly InputIssue[];
  /** Ids and values that the message speaks of, for machines. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: FailureCode,
    message: string,
    options: { issues?: readonly InputIssue[]; details?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "DomainError";
    this.code = code;
    this.issues = options.issues ?? [];
    this.details = options.details ?? {};
  }

  get status(): number {
    return FAILURE_STATUS[this.code];
  }
}
