import { PLATFORM_CODES } from "@/server/domain/errors/code";
import { maskOutput } from "@/server/domain/errors/mask-output";
import { maskTree, textMask } from "@/server/domain/errors/mask-text";
import type { AttemptReport, ClaimedNode } from "@/server/domain/run/work";
import type { Clock, Log } from "@/server/engine/context";
import { longTimeout } from "@/server/engine/long-timeout";
import type { Executed, Execution, Kill } from "./executors/execution";
import { askCheck } from "./executors/idempotency-check";
import { type Fault, failureOf } from "./fault";
import { type ResolvedInputs, resolveInputs, type SecretsOf } from "./inputs";
import type { AttemptLog, LogSink } from "./log-sink";

export interface Executors {
  http(execution: Execution<"http">): Promise<Executed>;
  command(execution: Execution<"command">): Promise<Executed>;
  handler(execution: Execution<"handler">): Promise<Executed>;
}

export interface AttemptWorld {
  readonly clock: Clock;
  readonly log: Log;
  readonly sink: LogSink;
  readonly secretsOf: SecretsOf;
  readonly executors: Executors;
}

export interface RunningAttempt {
  readonly claimed: ClaimedNode;
  kill(kill: Kill): void;
  /** Its report, when it and everything that it started has ended; null where it is not this worker's to report. */
  readonly ended: Promise<AttemptReport | null>;
}

/** Shorter than the pause before the first retry, so that no attempt acts beside the next. */
const TIMEOUT_GRACE_MS = 1_500;

/** Runs one claimed node to its report. Its times are the database's: they count from the claim by a clock that cannot step. */
export function startAttempt(world: AttemptWorld, claimed: ClaimedNode, receivedMs: number): RunningAttempt {
  const abort = new AbortController();
  const kill = (how: Kill) => {
    if (!abort.signal.aborted) abort.abort(how);
  };
  const instant = () => new Date(claimed.dispatchedAt.getTime() + Math.round(world.clock.monotonicMs() - receivedMs));
  const ended =
    claimed.storedResult === null
      ? execute(world, claimed, abort.signal, kill, instant)
      : Promise.resolve(storedReport(claimed, instant()));
  return { claimed, kill, ended };
}

type Base = Omit<AttemptReport, "kind" | "output" | "failure">;

function baseOf(claimed: ClaimedNode, pickedUpAt: Date): Base {
  const { runId, key, generation, attemptNo, executionId, token, group, hops, stayedSince } = claimed;
  const times = { pickedUpAt, executingAt: null };
  return {
    runId,
    key,
    generation,
    attemptNo,
    executionId,
    token,
    group,
    hops,
    stayedSince,
    times,
    inputs: null,
    response: null,
    logBytes: 0,
    logTruncated: false,
  };
}

/** The register says that this execution is completed: its result is settled again and nothing runs (IDM-2). */
const storedReport = (claimed: ClaimedNode, now: Date): AttemptReport => ({
  ...baseOf(claimed, now),
  kind: "succeeded",
  output: claimed.storedResult?.output ?? null,
});

async function execute(
  world: AttemptWorld,
  claimed: ClaimedNode,
  signal: AbortSignal,
  kill: (kill: Kill) => void,
  instant: () => Date,
): Promise<AttemptReport | null> {
  const base = baseOf(claimed, instant());
  const timeoutMs = Math.max(1, claimed.timeoutAt.getTime() - instant().getTime());
  const timer = longTimeout(timeoutMs, () => kill({ kind: "timeout", reason: "the attempt is out of time", graceMs: TIMEOUT_GRACE_MS }));
  let inputs: ResolvedInputs | null = null;
  try {
    inputs = await resolveInputs(claimed, world.secretsOf);
    const mask = inputs.kind === "resolved" ? inputs.mask : textMask([]);
    const log = world.sink.open(claimed, mask);
    const executingAt = instant();
    const executed = withoutSecrets(await executeWith(world, claimed, inputs, { signal, log, timeoutMs }), inputs, log);
    const { bytes, truncated } = await log.end();
    const told = {
      ...base,
      times: { pickedUpAt: base.times.pickedUpAt, executingAt },
      inputs: inputs.snapshot,
      response: isTold(executed, signal) ? (maskTree(executed.response, mask) as Base["response"]) : null,
      logBytes: bytes,
      logTruncated: truncated,
    };
    return reportOf(told, claimed, executed, signal, mask);
  } catch (error) {
    world.log.error({ err: error, runId: claimed.runId, key: claimed.key }, "an attempt broke in the worker itself");
    const mask = inputs?.kind === "resolved" ? inputs.mask : textMask([]);
    return { ...base, kind: "failed", failure: failureOf(workerFault(error), claimed, mask) };
  } finally {
    timer.clear();
  }
}

/** What was ended from outside tells nothing of how it ended, unless it was itself what took the time. */
const isTold = ({ kind }: Executed, signal: AbortSignal): boolean => kind !== "killed" || (signal.reason as Kill).kind === "timeout";

interface Surroundings {
  readonly signal: AbortSignal;
  readonly log: AttemptLog;
  readonly timeoutMs: number;
}

async function executeWith(
  { executors }: AttemptWorld,
  claimed: ClaimedNode,
  inputs: ResolvedInputs,
  around: Surroundings,
): Promise<Executed> {
  if (inputs.kind === "refused") return { kind: "failed", fault: inputs.fault, response: null };
  if (around.signal.aborted) return { kind: "killed", response: null };
  const execution = { claimed, with: inputs.with, traceparent: `00-${claimed.traceId}-${claimed.spanId}-01`, ...around };
  if (inputs.check) {
    const known = await askCheck(executors.http, inputs.check, execution as Execution<"http">);
    if (known) return known;
  }
  switch (claimed.node.type) {
    case "http":
      return executors.http(execution as Execution<"http">);
    case "command":
      return executors.command(execution as Execution<"command">);
    case "handler":
      return executors.handler(execution as Execution<"handler">);
    case "wait":
      throw new Error("a wait is the scheduler's and never a worker's");
  }
}

const MAX_TOLD = 20;

/** Takes the node's own secrets out of its output, and says so in the log and beside the output: nothing is changed unseen. */
function withoutSecrets(executed: Executed, inputs: ResolvedInputs, log: AttemptLog): Executed {
  if (executed.kind !== "succeeded" || inputs.kind !== "resolved") return executed;
  const { output, found } = maskOutput(executed.output, inputs.secrets);
  if (found.length === 0) return executed;
  const told = found.slice(0, MAX_TOLD).map(({ name, path }) => `${name} at ${path === "" ? "the output itself" : path}`);
  log.system(`the output held secrets, which are kept as ***: ${told.join(", ")}${found.length > MAX_TOLD ? " and more" : ""}`);
  return { ...executed, output, response: { ...executed.response, maskedSecrets: told } };
}

function reportOf(
  base: Base,
  claimed: ClaimedNode,
  executed: Executed,
  signal: AbortSignal,
  mask: (text: string) => string,
): AttemptReport | null {
  switch (executed.kind) {
    case "succeeded":
      return { ...base, kind: "succeeded", output: executed.output };
    case "failed":
      return { ...base, kind: "failed", failure: failureOf(executed.fault, claimed, mask) };
    case "interrupted":
      // It had begun, so that the next attempt is marked as one that may repeat it.
      return { ...base, kind: "handedBack" };
    case "killed":
      return killedReport(base, claimed, signal.reason as Kill, mask);
  }
}

function killedReport(base: Base, claimed: ClaimedNode, { kind }: Kill, mask: (text: string) => string): AttemptReport | null {
  switch (kind) {
    case "timeout": {
      const message = `The attempt did not end within its ${claimed.node.timeout} and was ended, with everything that it had started.`;
      return { ...base, kind: "timedOut", failure: failureOf({ status: "TIMEOUT", number: 504, message, retryable: true }, claimed, mask) };
    }
    case "drain":
      return { ...base, kind: "handedBack" };
    case "revoked":
    case "lapsed":
      return null;
  }
}

const workerFault = (error: unknown): Fault => ({
  code: PLATFORM_CODES.worker,
  message: error instanceof Error ? error.message : String(error),
  stack: error instanceof Error ? (error.stack ?? null) : null,
  retryable: true,
});
