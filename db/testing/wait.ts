/** Waits until `check` gives a value, asking again every few milliseconds; fails with `what` after `limitMs`. */
export async function until<T>(what: string, check: () => Promise<T | null | undefined | false>, limitMs = 10_000): Promise<T> {
  const end = performance.now() + limitMs;
  for (;;) {
    const value = await check();
    if (value !== null && value !== undefined && value !== false) return value;
    if (performance.now() > end) throw new Error(`still not so after ${limitMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}
