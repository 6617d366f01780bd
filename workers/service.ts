/** What every loop of a long-lived process can be asked; `health` is cheap and never waits. */
export interface Service {
  readonly name: string;
  /** Resolves when the service works; a second call gives the first one's promise. */
  start(): Promise<void>;
  /** Resolves when it has ended; may be called at any time, any number of times. */
  stop(): Promise<void>;
  /** Settles when it has ended: rejects when it failed by itself, resolves when it was stopped. */
  readonly stopped: Promise<void>;
  health(): ServiceHealth;
}

export interface ServiceHealth {
  readonly ok: boolean;
  readonly detail?: string;
}

export interface LoopOptions {
  readonly name: string;
  /** Runs until `signal` is aborted; calls `ready` once it works. Returning earlier counts as a failure. */
  readonly run: (signal: AbortSignal, ready: () => void) => Promise<void>;
  readonly health?: () => ServiceHealth;
}

/** Makes a service of one function that runs until its signal is aborted. */
export function loopService(options: LoopOptions): Service {
  const abort = new AbortController();
  let started: Promise<void> | undefined;
  let state: "new" | "starting" | "working" | "ended" = "new";
  let settle: { resolve: () => void; reject: (error: unknown) => void };
  const stopped = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  stopped.catch(() => undefined);

  const begin = () =>
    new Promise<void>((resolve, reject) => {
      const end = (error?: unknown) => {
        state = "ended";
        if (error === undefined) settle.resolve();
        else settle.reject(error);
        if (error === undefined) resolve();
        else reject(error);
      };
      state = "starting";
      const ready = () => {
        if (state === "starting") state = "working";
        resolve();
      };
      options.run(abort.signal, ready).then(
        () => end(abort.signal.aborted ? undefined : new Error(`${options.name} ended by itself`)),
        (error: unknown) => end(abort.signal.aborted && isAbort(error) ? undefined : error),
      );
    });

  return {
    name: options.name,
    stopped,
    start() {
      started ??= abort.signal.aborted ? Promise.resolve() : begin();
      return started;
    },
    async stop() {
      abort.abort();
      if (!started) {
        state = "ended";
        settle.resolve();
      }
      await stopped.catch(() => undefined);
    },
    health: () => (state === "working" ? (options.health?.() ?? { ok: true }) : { ok: false, detail: state }),
  };
}

export interface RunOptions {
  /** Aborted when the process is told to end. */
  readonly until: AbortSignal;
  readonly onFailure?: (service: string, error: unknown) => void;
}

/** Starts services in order, waits until told to end or until one fails, stops them in reverse. Gives the exit code. */
export async function keepServices(services: readonly Service[], options: RunOptions): Promise<number> {
  const begun: Service[] = [];
  let code = 0;
  const failed = (service: string, error: unknown) => {
    code = 1;
    options.onFailure?.(service, error);
  };
  const told = new Promise<void>((resolve) => {
    if (options.until.aborted) resolve();
    options.until.addEventListener("abort", () => resolve(), { once: true });
  });
  for (const service of services) {
    if (code !== 0 || options.until.aborted) break;
    begun.push(service);
    await service.start().catch((error: unknown) => failed(service.name, error));
  }
  if (code === 0) {
    const ends = begun.map((service) => service.stopped.catch((error: unknown) => failed(service.name, error)));
    await Promise.race([told, ...ends]);
  }
  for (const service of begun.reverse()) await service.stop().catch((error: unknown) => failed(service.name, error));
  return code;
}

/** Runs the callback once when the supervisor that started this process has gone, however it went. */
export function onParentGone(callback: () => void): void {
  if (!process.connected) return;
  process.once("disconnect", callback);
  // The channel is for noticing alone: it must not keep a process that is otherwise done.
  process.channel?.unref();
}

export interface ProcessOptions {
  /** Closes pools and files after the services have stopped. */
  readonly close?: () => Promise<void>;
  /** The process ends by force after this, whatever still runs; leases and fences cover what is cut off. */
  readonly graceMs?: number;
  readonly onFailure?: (service: string, error: unknown) => void;
}

/** The life of a process: services until SIGTERM, SIGINT or the supervisor's end, then out. */
export async function runServices(services: readonly Service[], options: ProcessOptions = {}): Promise<never> {
  const end = new AbortController();
  const stop = () => {
    if (end.signal.aborted) return;
    end.abort();
    setTimeout(() => process.exit(1), options.graceMs ?? 4_000).unref();
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  onParentGone(stop);
  const report = options.onFailure ?? ((service, error) => console.error(`${service} failed`, error));
  const code = await keepServices(services, { until: end.signal, onFailure: report });
  stop();
  await options.close?.().catch((error: unknown) => report("close", error));
  process.exit(code);
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}
