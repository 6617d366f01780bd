import { type ChildProcess, fork } from "node:child_process";
import { memoryKills, ranOutOfMemory } from "../out-of-memory";
import { killGroup, killMarked, MARK } from "../process-tree";
import type { ChildFailure, FromChild, LoadProblem, OfferedTask, ToChild } from "./protocol";

export interface ChildProgram {
  /** child.mjs, or child.ts where the sources are run. */
  readonly entry: string;
  readonly execArgv: readonly string[];
  readonly folders: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface HandlerCall {
  readonly task: string;
  readonly inputJson: string;
  readonly executionId: string;
  readonly token: number;
  readonly attempt: number;
  readonly runId: string;
  readonly nodeKey: string;
  readonly traceparent: string;
  onLog(stream: "stdout" | "stderr", text: string): void;
  onProgress(done: number, note: string | null): void;
  /** The task made a call again that had failed in this attempt. */
  onRetried(of: string): void;
}

export type CallOutcome =
  | { readonly kind: "succeeded"; readonly outputJson: string }
  | { readonly kind: "failed"; readonly failure: ChildFailure }
  /** The child died under it. `companions` is how many other calls died with it. */
  | { readonly kind: "died"; readonly companions: number; readonly death: Death };

export interface Death {
  readonly code: number | null;
  readonly signal: string | null;
  readonly outOfMemory: boolean;
  /** The last that it wrote. */
  readonly stderr: string;
}

export interface ChildReady {
  readonly tasks: readonly OfferedTask[];
  readonly problems: readonly LoadProblem[];
}

/** Of what a child wrote to stderr: the end. */
export const KEPT_STDERR = 4_000;
const LAST_MESSAGES_MS = 200;
let started = 0;

/** One warm child process and the calls that run in it. */
export class HandlerChild {
  readonly ready: Promise<ChildReady>;
  readonly died: Promise<Death>;
  /** Takes no new call; ends when the last one is over. */
  condemned = false;
  #process: ChildProcess;
  #calls = new Map<number, { readonly call: HandlerCall; readonly end: (outcome: CallOutcome) => void }>();
  #unsent: ToChild[] = [];
  #lastId = 0;
  #stderr = "";
  #isDead = false;
  #killsBefore = memoryKills();
  /** Of all that its calls start, so that what outlives it is found. */
  readonly #mark: string;

  constructor(program: ChildProgram) {
    started += 1;
    this.#mark = `${program.env[MARK] ?? `${process.pid}.handlers`}.${started}`;
    this.#process = fork(program.entry, [...program.folders], {
      env: { ...program.env, [MARK]: this.#mark } as unknown as NodeJS.ProcessEnv,
      execArgv: [...program.execArgv],
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      detached: true,
    });
    this.#process.stdout?.resume();
    this.#process.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-KEPT_STDERR);
    });
    this.died = this.#watchDeath();
    this.ready = new Promise((resolve, reject) => {
      this.#process.on("message", (message: FromChild) => {
        if (message.kind === "ready") resolve({ tasks: message.tasks, problems: message.problems });
        else this.#hear(message);
      });
      void this.died.then((death) => reject(new Error(`the child ended before it was ready (${describeDeath(death)})`)));
    });
    this.ready.catch(() => undefined);
  }

  get load(): number {
    return this.#calls.size;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Runs one call to its end, or to the child's. */
  start(call: HandlerCall): { readonly id: number; readonly outcome: Promise<CallOutcome> } {
    const id = ++this.#lastId;
    const { onLog: _, onProgress: __, onRetried: ___, ...sent } = call;
    const outcome = new Promise<CallOutcome>((resolve) => {
      this.#calls.set(id, {
        call,
        end: (ended) => {
          this.#calls.delete(id);
          resolve(ended);
        },
      });
    });
    this.#send({ kind: "run", id, ...sent });
    return { id, outcome };
  }

  abort(id: number, reason: string): void {
    if (this.#calls.has(id)) this.#send({ kind: "abort", id, reason });
  }

  kill(): void {
    this.condemned = true;
    if (this.#process.pid !== undefined) killGroup(this.#process.pid, "SIGKILL");
  }

  /** Ends a child that has nothing to do; one that has is ended when it is done. */
  retire(): void {
    this.condemned = true;
    if (this.#calls.size === 0) this.kill();
  }

  /** What one claim or settle has brought goes in one message. */
  #send(message: ToChild): void {
    if (this.#unsent.push(message) > 1) return;
    setImmediate(() => {
      // A send that fails means that the child is dying: its end settles the calls.
      if (this.#process.connected) this.#process.send(this.#unsent.splice(0), () => undefined);
    });
  }

  #hear(message: Exclude<FromChild, { kind: "ready" }>): void {
    const entry = this.#calls.get(message.id);
    if (!entry) return;
    switch (message.kind) {
      case "log":
        entry.call.onLog(message.stream, message.text);
        return;
      case "progress":
        entry.call.onProgress(message.done, message.note);
        return;
      case "retried":
        entry.call.onRetried(message.of);
        return;
      case "succeeded":
      case "failed": {
        const { id: _, ...outcome } = message;
        entry.end(outcome);
        if (this.condemned) this.retire();
      }
    }
  }

  async #watchDeath(): Promise<Death> {
    const { code, signal } = await new Promise<{ code: number | null; signal: string | null }>((resolve) => {
      this.#process.once("error", () => resolve({ code: 127, signal: null }));
      this.#process.once("exit", (exitCode, exitSignal) => resolve({ code: exitCode, signal: exitSignal }));
    });
    this.condemned = true;
    await this.#lastMessages();
    // What its calls left behind would act beside their next attempts.
    await killMarked((found) => found === this.#mark);
    this.#isDead = true;
    const death = {
      code,
      signal,
      outOfMemory: ranOutOfMemory({ code, signal, stderr: this.#stderr }, this.#killsBefore),
      stderr: this.#stderr,
    };
    const companions = this.#calls.size - 1;
    for (const { end } of [...this.#calls.values()]) end({ kind: "died", companions, death });
    return death;
  }

  /** What it said before it died may still be in the channel when its exit is seen. */
  async #lastMessages(): Promise<void> {
    if (!this.#process.connected) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, LAST_MESSAGES_MS);
      this.#process.once("disconnect", () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}

export const describeDeath = ({ code, signal }: Death): string => (signal ? `signal ${signal}` : `exit code ${code}`);
