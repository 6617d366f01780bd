const WINDOW_MS = 15 * 60_000;
const MAX_FAILURES = 10;
const MAX_ACCOUNTS = 10_000;

/**
 * Failed sign-ins per account, whatever address they came from: an address can be made up, the account cannot.
 * It is kept by each web process for itself, which bounds guessing well enough.
 */
export function accountAttempts(nowMs: () => number, maxFailures = MAX_FAILURES) {
  const failures = new Map<string, { count: number; sinceMs: number }>();
  const current = (email: string) => {
    const entry = failures.get(email);
    if (entry && nowMs() - entry.sinceMs < WINDOW_MS) return entry;
    failures.delete(email);
    return undefined;
  };
  return {
    blocked: (email: string): boolean => (current(email)?.count ?? 0) >= maxFailures,
    failed: (email: string): void => {
      const entry = current(email) ?? { count: 0, sinceMs: nowMs() };
      failures.delete(email);
      failures.set(email, { ...entry, count: entry.count + 1 });
      const oldest = failures.keys().next();
      if (failures.size > MAX_ACCOUNTS && !oldest.done) failures.delete(oldest.value);
    },
    succeeded: (email: string): void => void failures.delete(email),
  };
}
