const SLOW_START_MS = 10_000;
/** While no scheduler leads, nobody else would say so. */
const LEADER_WATCH_MS = 15_000;

/** Runs once when the web process starts, before the first request. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  const started = said("loading the engine");
  const { openRuntime, openWebSignIn } = await import("./server/runtime");
  const { addressBehind, notePeers } = await import("./server/api/request-address");
  const { holdWorld } = await import("./server/api/world");
  notePeers();
  started.next("opening the database, the vault and the doorbell");
  const runtime = await openRuntime({ name: "web" });
  const stopping = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => stopping.abort());
  started.next("opening the sign-in");
  holdWorld({
    log: runtime.log,
    ids: runtime.ids,
    signIn: await openWebSignIn(runtime),
    bootId: runtime.env.bootId ?? null,
    addressOf: addressBehind(runtime.env.trustedProxies),
    stopping: stopping.signal,
    ctx: (principal, source) => runtime.ctx(principal, source),
  });
  started.end();
  const { watchLeader } = await import("./server/engine/alerts/watch-leader");
  every(LEADER_WATCH_MS, stopping.signal, () =>
    watchLeader(runtime.systemCtx()).catch((error: unknown) => runtime.log.debug({ err: error }, "whether a scheduler leads was not seen")),
  );
}

/** Does it now and then until the process ends; never twice at a time. */
function every(ms: number, ended: AbortSignal, work: () => Promise<unknown>): void {
  let busy = false;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    void work().finally(() => {
      busy = false;
    });
  }, ms);
  timer.unref();
  ended.addEventListener("abort", () => clearInterval(timer), { once: true });
}

/** Until all of this is done no request is answered, so a start that takes long says what it waits for. */
function said(first: string) {
  let stage = first;
  const timer = setInterval(() => console.error(`the web process is still starting: ${stage}`), SLOW_START_MS);
  timer.unref();
  return {
    next: (name: string) => {
      stage = name;
    },
    end: () => clearInterval(timer),
  };
}
