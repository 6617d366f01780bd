/** A claim or a settle that takes longer is given up; the connection may hang for ever. */
export const DATABASE_LIMIT_MS = 15_000;

export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

/** The answer to a question that must not wait for ever; what comes later is dropped. */
export async function within<T>(limitMs: number, what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswer(`${what}: no answer within ${limitMs} ms`)), limitMs);
  });
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
