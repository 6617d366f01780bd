import { AsyncLocalStorage } from "node:async_hooks";
import { format } from "node:util";
import { readSqlState } from "@/server/domain/errors/sql-state";
import { MAX_OUTPUT_BYTES } from "@/server/domain/run/work";
import { countedFetch } from "@/workers/sdk/counted-fetch";
import type { TaskContext, TaskLog } from "@/workers/sdk/define-task";
import { isTaskError, TaskError } from "@/workers/sdk/task-error";
import { loadTasks } from "./handlers/load-tasks";
import { probeTask } from "./handlers/probe-task";
import { type ChildFailure, type FromChild, PROBE_TASK, type ToChild } from "./handlers/protocol";

type Run = Extract<ToChild, { kind: "run" }>;

/** Knows which attempt a line belongs to, however deep in the task's own code it is written. */
const current = new AsyncLocalStorage<{ readonly id: number }>();
const aborts = new Map<number, AbortController>();

/** The supervisor shows less; this keeps a giant from crossing to it. */
const MAX_NOTE = 64_000;
const MAX_RETRIED = 300;

const say = (message: FromChild) => {
  if (process.connected) process.send?.(message);
};

function logOf(id: number): TaskLog {
  const write = (stream: "stdout" | "stderr") => (message: string, fields?: object) => {
    say({ kind: "log", id, stream, text: fields ? `${message} ${JSON.stringify(fields)}\n` : `${message}\n` });
  };
  return { info: write("stdout"), warn: write("stderr"), error: write("stderr") };
}

function contextOf(run: Run, signal: AbortSignal): TaskContext {
  const { executionId, token, attempt, runId, nodeKey, traceparent } = run;
  const onRetried = (of: string) => say({ kind: "retried", id: run.id, of: String(of).slice(0, MAX_RETRIED) });
  return {
    executionId,
    token,
    attempt,
    runId,
    nodeKey,
    traceparent,
    signal,
    log: logOf(run.id),
    fetch: countedFetch({ executionId, traceparent, signal, onRetried }),
    declareRetry: (of) => onRetried(of ?? "undeclared"),
    progress: (done, note) =>
      say({ kind: "progress", id: run.id, done, note: note === undefined ? null : String(note).slice(0, MAX_NOTE) }),
    error: (status, number, message, options) => new TaskError(status, number, message, options),
  };
}

function failureOf(error: unknown): ChildFailure {
  const thrown = { kind: "thrown", status: null, number: null, retryable: true, retryAfterMs: null, context: {} } as const;
  if (!(error instanceof Error)) return { ...thrown, message: format("%o", error), stack: null };
  const told = { ...thrown, message: error.message || error.name, stack: error.stack ?? null };
  if (!isTaskError(error)) return { ...told, ...readSqlState(error) };
  const { status, number, retryable, retryAfterMs, context } = error;
  return { ...told, status, number, retryable, retryAfterMs, context };
}

async function run(message: Run, tasks: Awaited<ReturnType<typeof loadTasks>>["tasks"]): Promise<void> {
  const { id } = message;
  const task = message.task === PROBE_TASK ? probeTask : tasks.get(message.task);
  if (!task) return say({ kind: "failed", id, failure: { kind: "unknown_task", known: [...tasks.keys()] } });
  const abort = new AbortController();
  aborts.set(id, abort);
  let outcome: FromChild;
  try {
    const output = await current.run({ id }, () => task.execute(contextOf(message, abort.signal), JSON.parse(message.inputJson)));
    outcome = { id, ...written(output) };
  } catch (error) {
    outcome = { kind: "failed", id, failure: failureOf(error) };
  } finally {
    aborts.delete(id);
  }
  say(outcome);
}

/** Written here, so that neither a cycle nor a giant crosses to the supervisor. */
function written(output: unknown): { kind: "succeeded"; outputJson: string } | { kind: "failed"; failure: ChildFailure } {
  let outputJson: string;
  try {
    outputJson = JSON.stringify(output) ?? "null";
  } catch (error) {
    return { kind: "failed", failure: { kind: "output_no_json", message: error instanceof Error ? error.message : String(error) } };
  }
  const bytes = Buffer.byteLength(outputJson);
  if (bytes > MAX_OUTPUT_BYTES) return { kind: "failed", failure: { kind: "output_too_large", bytes } };
  return { kind: "succeeded", outputJson };
}

/** What a task writes to its streams goes to the attempt that runs it; what nobody runs, to the process. */
function attribute(stream: "stdout" | "stderr"): void {
  const target = process[stream];
  const write = target.write.bind(target);
  target.write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
    const attempt = current.getStore();
    if (!attempt) return (write as (...all: unknown[]) => boolean)(chunk, ...rest);
    say({ kind: "log", id: attempt.id, stream, text: typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8") });
    const done = rest.find((each) => typeof each === "function") as (() => void) | undefined;
    if (done) process.nextTick(done);
    return true;
  }) as typeof target.write;
}

process.on("disconnect", () => process.exit());
// A Ctrl-C is the supervisor's to hear; it lets the attempts here end.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => undefined);
attribute("stdout");
attribute("stderr");
const { tasks, problems } = await loadTasks(process.argv.slice(2));
process.on("message", (messages: readonly ToChild[]) => {
  for (const message of messages) {
    if (message.kind === "abort") aborts.get(message.id)?.abort(new Error(message.reason));
    else void run(message, tasks);
  }
});
const offered = [...tasks.values()].map(({ name, inputSchema, outputSchema }) => ({ name, inputSchema, outputSchema }));
say({ kind: "ready", tasks: offered, problems });
