export interface Nap {
  /** Resolves after `ms`, or at once when woken; a wake while nobody sleeps shortens the next sleep. */
  sleep(ms: number): Promise<void>;
  wake(): void;
}

export function createNap(): Nap {
  let woken = false;
  let rouse: (() => void) | null = null;
  return {
    sleep: (ms) =>
      new Promise((resolve) => {
        const end = () => {
          clearTimeout(timer);
          rouse = null;
          woken = false;
          resolve();
        };
        const timer = setTimeout(end, woken ? 0 : ms);
        rouse = end;
      }),
    wake: () => {
      woken = true;
      rouse?.();
    },
  };
}
