const PROBE_BYTES = 8 * 1024 * 1024;

/** What a probe does in a child: takes memory, writes all of it and reads it back. Answers with the bytes that it had. */
export const probeTask = {
  execute: (): Promise<unknown> => {
    const memory = Buffer.alloc(PROBE_BYTES, 1);
    let sum = 0;
    for (const byte of memory) sum += byte;
    return Promise.resolve(sum);
  },
};
