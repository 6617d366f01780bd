/** A longer delay makes Node's timer fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Calls back after any time, also one of more than the 24.8 days that a timer can hold. */
export function longTimeout(delayMs: number, callback: () => void): { clear(): void } {
  let timer: NodeJS.Timeout;
  const arm = (leftMs: number) => {
    const stepMs = Math.min(leftMs, LONGEST_TIMER_MS);
    // eslint-disable-next-line no-restricted-syntax -- this is the timer itself, for the runner and the adapters alike
    timer = setTimeout(() => (leftMs > stepMs ? arm(leftMs - stepMs) : callback()), stepMs);
  };
  arm(delayMs);
  return { clear: () => clearTimeout(timer) };
}
