import { PLATFORM_CODES } from "@/server/domain/errors/code";
import type { Fault } from "../fault";
import { type Death, describeDeath, KEPT_STDERR } from "../handlers/handler-child";
import type { HandlerPool, HandlerResult } from "../handlers/handler-pool";
import type { ChildFailure } from "../handlers/protocol";
import { acceptJson, outputInvalid, outputTooLarge } from "../output";
import type { DeathsBefore, Executed, Execution } from "./execution";
import { InnerRetries } from "./inner-retries";
import { Progress } from "./progress";
import { wholeLines } from "./whole-lines";

export interface HandlerExecutorOptions {
  readonly pool: Pick<HandlerPool, "run">;
  readonly monotonicMs: () => number;
  readonly deathsBefore: DeathsBefore;
}

/** Calls a task in a warm child process. */
export async function executeHandler(options: HandlerExecutorOptions, execution: Execution<"handler">): Promise<Executed> {
  const { claimed, with: sent, traceparent, log, signal } = execution;
  const progress = new Progress(log.system, options.monotonicMs);
  const retried = new InnerRetries();
  const result = await options.pool.run(
    {
      task: sent.task,
      inputJson: JSON.stringify(sent.input ?? {}),
      executionId: claimed.executionId,
      token: claimed.token,
      attempt: claimed.attemptNo,
      runId: claimed.runId,
      nodeKey: claimed.key,
      traceparent,
      onLog: (stream, text) => log.write(stream, text),
      onProgress: (done, note) => progress.report(done, note),
      onRetried: (of) => retried.add(of),
    },
    signal,
  );
  progress.end();
  return retried.tellIn(await executedOf(options, execution, result), log.system);
}

async function executedOf(options: HandlerExecutorOptions, execution: Execution<"handler">, result: HandlerResult): Promise<Executed> {
  const { claimed, with: sent, log } = execution;
  switch (result.kind) {
    case "aborted":
      return { kind: "killed", response: null };
    case "interrupted": {
      const { companions, death } = result;
      log.system(
        `the process ended with ${describeDeath(death)} while ${companions} other attempts ran in it; this one goes back uncharged, and what it did may be repeated`,
      );
      return { kind: "interrupted", response: { exitCode: death.code, signal: death.signal, companions } };
    }
    case "crashed":
      return {
        kind: "failed",
        fault: { ...crashFault(sent.task, result.death), deaths: 1 + (await options.deathsBefore(claimed)) },
        response: { exitCode: result.death.code, signal: result.death.signal },
      };
    case "failed":
      return { kind: "failed", fault: taskFault(sent.task, result.failure), response: null };
    case "succeeded":
      return accept(result.outputJson, log.system);
  }
}

function accept(outputJson: string, note: (text: string) => void): Executed {
  const accepted = acceptJson(outputJson);
  if (accepted.kind === "refused") return { kind: "failed", fault: accepted.fault, response: null };
  for (const each of accepted.notes) note(each);
  return { kind: "succeeded", output: accepted.output, response: {} };
}

function crashFault(task: string, death: Death): Fault {
  const quoted = wholeLines(death.stderr, KEPT_STDERR).slice(-5).join("\n");
  if (death.outOfMemory) return { code: PLATFORM_CODES.outOfMemory, message: `${task} ran out of memory`, quoted, retryable: true };
  return { status: "CRASH", number: 500, message: `the process of ${task} ended with ${describeDeath(death)}`, quoted, retryable: true };
}

function taskFault(task: string, failure: ChildFailure): Fault {
  switch (failure.kind) {
    case "unknown_task": {
      const known = failure.known.slice(0, 20).join(", ") || "none";
      const message = `This worker has no task ${task}. It has: ${known}. Put its file into the worker's handlers folder and start the worker again.`;
      return { code: PLATFORM_CODES.taskUnknown, message, retryable: false };
    }
    case "output_too_large":
      return outputTooLarge(failure.bytes);
    case "output_no_json":
      return outputInvalid(`has no JSON form: ${failure.message}`);
    case "thrown": {
      const { message, stack, retryable, retryAfterMs, context } = failure;
      return { status: failure.status ?? "ERROR", number: failure.number ?? 500, message, stack, retryable, retryAfterMs, context };
    }
  }
}
