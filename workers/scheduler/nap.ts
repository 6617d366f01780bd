export interface Nap {
  /** Resolves after `ms`, or at once when woken; a wake while nobody sleeps shortens the next sleep. */
  sleep(ms: number): Promise<void>;
  /** Sleeps until woken. */
  wait(): Promise<void>;
  wake(): void;
}

/** A sleep that can be cut short. One at a time sleeps on it. */
export function createNap(): Nap {
  let woken = false;
  let rouse: (() => void) | null = null;
  const sleep = (ms: number | null) =>
    new Promise<void>((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const end = () => {
        clearTimeout(timer);
        rouse = null;
        woken = false;
        resolve();
      };
      if (woken) return end();
      if (ms !== null) timer = setTimeout(end, ms);
      rouse = end;
    });
  return {
    sleep,
    wait: () => sleep(null),
    wake: () => {
      woken = true;
      rouse?.();
    },
  };
}
