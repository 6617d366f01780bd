export interface CountedFetchOptions {
  readonly executionId: string;
  readonly traceparent: string;
  readonly signal: AbortSignal;
  /** The same call was made again after it had failed in this attempt. */
  onRetried(of: string): void;
}

/** So many failed calls are remembered; of a task that calls ever new addresses, the oldest are forgotten. */
const MOST_REMEMBERED = 1_000;

/** After these the same request may be meant to be sent again. */
const isFailed = (status: number) => status === 408 || status === 425 || status === 429 || status >= 500;

/**
 * `fetch` with the attempt's identity and its end: the idempotency key and the trace go along, and an abort of the attempt
 * ends the call. It retries nothing itself, and counts where its caller does: retries belong to the node's policy (RTY-3).
 */
export function countedFetch({ executionId, traceparent, signal, onRetried }: CountedFetchOptions): typeof fetch {
  const failed = new Set<string>();
  const remember = (call: string) => {
    failed.delete(call);
    failed.add(call);
    const [oldest] = failed;
    if (failed.size > MOST_REMEMBERED && oldest !== undefined) failed.delete(oldest);
  };
  return async (input, init) => {
    const request = new Request(input, init);
    for (const [name, value] of [
      ["idempotency-key", executionId],
      ["traceparent", traceparent],
    ] as const) {
      if (!request.headers.has(name)) request.headers.set(name, value);
    }
    const { origin, pathname } = new URL(request.url);
    // Without its query, in which a secret may stand.
    const call = `${request.method} ${origin}${pathname}`;
    if (failed.has(call)) onRetried(call);
    try {
      const answer = await fetch(request, { signal: AbortSignal.any([signal, request.signal]) });
      if (isFailed(answer.status)) remember(call);
      else failed.delete(call);
      return answer;
    } catch (error) {
      remember(call);
      throw error;
    }
  };
}
