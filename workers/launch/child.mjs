import { spawn } from "node:child_process";

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 10_000;
const SETTLED_MS = 30_000;
const RESTART_GRACE_MS = 10_000;

/**
 * A child that is started again when it ends, sooner or later depending on how often. It runs in a group of its own, so
 * that a Ctrl-C reaches it through us and in order; its channel to us closes when we are gone, however we go.
 */
export class Child {
  #options;
  #process;
  #failures = 0;
  #timer;
  #stopping = false;
  #ended = Promise.resolve();

  /** `{ name, command, args, env, cwd, journal, roll, onMessage?, onExit? }` */
  constructor(options) {
    this.#options = options;
  }

  get name() {
    return this.#options.name;
  }

  get pid() {
    return this.#process?.pid;
  }

  /** Ends in a row, none of which lasted long enough to count as working. */
  get failures() {
    return this.#failures;
  }

  setEnv(env) {
    this.#options.env = { ...this.#options.env, ...env };
  }

  start() {
    if (this.#stopping) return;
    const { name, command, args, env, cwd, journal, roll, onMessage } = this.#options;
    const startedMs = performance.now();
    const child = spawn(command, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe", "ipc"] });
    this.#process = child;
    if (child.pid !== undefined) roll.set(name, child.pid);
    journal.follow(name, child.stdout);
    journal.follow(name, child.stderr);
    if (onMessage) child.on("message", onMessage);
    this.#ended = new Promise((resolve) => {
      let done = false;
      const end = (reason) => {
        if (done) return;
        done = true;
        roll.remove(name);
        resolve();
        this.#afterEnd(reason, performance.now() - startedMs);
      };
      child.once("error", (error) => end(error.message));
      child.once("exit", (code, signal) => end(signal ?? `code ${code}`));
    });
  }

  #afterEnd(reason, livedMs) {
    if (this.#stopping) return;
    this.#failures = livedMs > SETTLED_MS ? 1 : this.#failures + 1;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#failures - 1));
    this.#options.onExit?.(reason);
    this.#options.journal.line(this.name, `ended (${reason}); starting again in ${pauseMs} ms`);
    this.#timer = setTimeout(() => this.start(), pauseMs);
  }

  /** Ends it and lets it start again at once, as after a change of its environment; by force where it does not hear. */
  restart(graceMs = RESTART_GRACE_MS) {
    const child = this.#process;
    this.signal("SIGTERM");
    setTimeout(() => {
      if (child === this.#process && !this.#stopping) this.signal("SIGKILL");
    }, graceMs).unref();
  }

  signal(signal) {
    try {
      this.#process?.kill(signal);
    } catch {
      // It has gone by itself.
    }
  }

  async stop(graceMs) {
    this.#stopping = true;
    clearTimeout(this.#timer);
    this.signal("SIGTERM");
    const force = setTimeout(() => this.signal("SIGKILL"), graceMs);
    await this.#ended;
    clearTimeout(force);
  }
}
