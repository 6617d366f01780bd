import { describeDeath } from "./handler-child";
import type { Abort, HandlerPool } from "./handler-pool";
import { PROBE_TASK } from "./protocol";

export interface Probed {
  readonly ok: boolean;
  /** In words: what it did, or why it failed. */
  readonly note: string;
}

const LIMIT_MS = 20_000;

/** A light look whether a worker can do its work: a child of its pool answers, and gets some memory (EXC-6). */
export async function probePool(pool: HandlerPool, probeId: string, limitMs = LIMIT_MS): Promise<Probed> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort({ reason: "the probe takes too long", graceMs: 0 } satisfies Abort), limitMs);
  const call = { task: PROBE_TASK, inputJson: "null", executionId: probeId, token: 0, attempt: 1, runId: "", nodeKey: "", traceparent: "" };
  const nothing = () => undefined;
  try {
    const result = await pool.run({ ...call, onLog: nothing, onProgress: nothing, onRetried: nothing }, abort.signal);
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
        return { ok: false, note: `no handler process answered within ${limitMs / 1_000} s` };
    }
  } finally {
    clearTimeout(timer);
  }
}
