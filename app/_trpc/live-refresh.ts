const LEAST_MS = 300;

/**
 * Asks again what is shown: at most each 300 ms, one round at a time, and once more when something changed during it, so
 * that no change is lost and no slow answer is cut off by the next.
 */
export function liveRefresh(refresh: () => Promise<unknown>, after: (work: () => void, ms: number) => void) {
  let state: "idle" | "busy" | "again" = "idle";
  const start = () => {
    state = "busy";
    const rest = new Promise<void>((resolve) => after(resolve, LEAST_MS));
    void Promise.all([refresh().catch(() => undefined), rest]).then(() => {
      if (state === "again") start();
      else state = "idle";
    });
  };
  return () => {
    if (state === "idle") start();
    else state = "again";
  };
}
