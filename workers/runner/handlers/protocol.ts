/** A task that every child has, and that nobody can register: it shows that the child answers and gets memory. */
export const PROBE_TASK = "apollo-11:probe";

/** What the supervisor and its warm children say to each other. Values travel as JSON text, so that nothing changes on the way. */
export type ToChild =
  | {
      readonly kind: "run";
      readonly id: number;
      readonly task: string;
      readonly inputJson: string;
      readonly executionId: string;
      readonly token: number;
      readonly attempt: number;
      readonly runId: string;
      readonly nodeKey: string;
      readonly traceparent: string;
    }
  | { readonly kind: "abort"; readonly id: number; readonly reason: string };

export type FromChild =
  | { readonly kind: "ready"; readonly tasks: readonly OfferedTask[]; readonly problems: readonly LoadProblem[] }
  | { readonly kind: "log"; readonly id: number; readonly stream: "stdout" | "stderr"; readonly text: string }
  | { readonly kind: "progress"; readonly id: number; readonly done: number; readonly note: string | null }
  /** The task made a call again that had failed. */
  | { readonly kind: "retried"; readonly id: number; readonly of: string }
  | { readonly kind: "succeeded"; readonly id: number; readonly outputJson: string }
  | { readonly kind: "failed"; readonly id: number; readonly failure: ChildFailure };

export interface OfferedTask {
  readonly name: string;
  readonly inputSchema: unknown;
  readonly outputSchema: unknown;
}

export interface LoadProblem {
  readonly file: string;
  readonly message: string;
}

export type ChildFailure =
  /** Thrown by the task: with a code of its own, or anything at all. */
  | {
      readonly kind: "thrown";
      readonly status: string | null;
      readonly number: number | null;
      readonly message: string;
      readonly stack: string | null;
      readonly retryable: boolean;
      readonly retryAfterMs: number | null;
      readonly context: Readonly<Record<string, string>>;
    }
  | { readonly kind: "unknown_task"; readonly known: readonly string[] }
  | { readonly kind: "output_too_large"; readonly bytes: number }
  | { readonly kind: "output_no_json"; readonly message: string };
