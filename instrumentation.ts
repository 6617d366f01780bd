/** Runs once when the web process starts, before the first request. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  const { openRuntime, openWebSignIn } = await import("./server/runtime");
  const { addressBehind, notePeers } = await import("./server/api/request-address");
  const { holdWorld } = await import("./server/api/world");
  notePeers();
  const runtime = await openRuntime({ name: "web" });
  const stopping = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => stopping.abort());
  holdWorld({
    log: runtime.log,
    ids: runtime.ids,
    signIn: await openWebSignIn(runtime),
    bootId: runtime.env.bootId ?? null,
    addressOf: addressBehind(runtime.env.trustedProxies),
    stopping: stopping.signal,
    ctx: (principal, source) => runtime.ctx(principal, source),
  });
}
