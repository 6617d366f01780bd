/** What was asked did not end in time. */
export class NotAnswered extends Error {}

/** Fails when `work` has not ended after `limitMs`; what it does later is nobody's concern any more. */
export async function within<T>(work: Promise<T>, limitMs: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NotAnswered(`${what} was not answered within ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
