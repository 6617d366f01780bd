import { describeDeath } from "./handler-child";
import type { HandlerPool, HandlerResult } from "./handler-pool";
import { PROBE_TASK } from "./protocol";

export interface Probed {
  readonly ok: boolean;
  /** In words: what it did, or why it failed. */
  readonly note: string;
}

const LIMIT_MS = 20_000;

/**
 * A light look whether a worker can do its work: a child of its pool answers, and gets some memory (EXC-6). A child that does
 * not answer in time is left alone, since it may be at work on attempts.
 */
export async function probePool(pool: HandlerPool, probeId: string, limitMs = LIMIT_MS): Promise<Probed> {
  const nothing = () => undefined;
  const call = { task: PROBE_TASK, inputJson: "null", executionId: probeId, token: 0, attempt: 1, runId: "", nodeKey: "", traceparent: "" };
  const answer = pool.run({ ...call, onLog: nothing, onProgress: nothing, onRetried: nothing }, new AbortController().signal);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), limitMs);
  });
  try {
    const result = await Promise.race([answer, late]);
    return result === null ? { ok: false, note: `no handler process answered within ${limitMs / 1_000} s` } : judged(result);
  } finally {
    clearTimeout(timer);
  }
}

function judged(result: HandlerResult): Probed {
  switch (result.kind) {
    case "succeeded":
      return { ok: true, note: `a handler process answered and had ${result.outputJson} bytes` };
    case "failed":
      return {
        ok: false,
        note: `a handler process could not: ${"message" in result.failure ? result.failure.message : result.failure.kind}`,
      };
    case "crashed":
    case "interrupted":
      return { ok: false, note: `the handler process ended under it (${describeDeath(result.death)})` };
    case "aborted":
      return { ok: false, note: "the worker is shutting down" };
  }
}
