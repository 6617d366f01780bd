import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { isAlive } from "../../fixtures/processes";
import { until } from "../../fixtures/until";
import { Line } from "./line";
import type { Warden } from "./warden";

export type Role = "scheduler" | "worker" | "web";

export interface MemberOptions {
  readonly name: string;
  readonly role: Role;
  readonly program: string;
  readonly warden: Warden;
  readonly databaseUrl: () => string;
  readonly redisPort: (() => number) | null;
  readonly env: Readonly<Record<string, string>>;
}

const INHERITED = ["PATH", "HOME", "USER", "SHELL", "LANG", "LC_ALL", "TZ", "TMPDIR"];

/** One process of the product, behind a line of its own to Postgres and one to Redis. */
export class Member {
  readonly name: string;
  readonly role: Role;
  readonly toDatabase: Line;
  readonly toRedis: Line | null;
  /** Ended otherwise than the rig asked it to: nobody may (P18). */
  readonly ownEnds: string[] = [];
  readonly #options: MemberOptions;
  #child: ChildProcess | null = null;
  #ended: Promise<number | null> = Promise.resolve(null);
  #isToEnd = false;
  #isStopped = false;
  #more: Readonly<Record<string, string>> = {};

  constructor(options: MemberOptions) {
    this.#options = options;
    this.name = options.name;
    this.role = options.role;
    this.toDatabase = new Line(() => Number(new URL(options.databaseUrl()).port));
    this.toRedis = options.redisPort ? new Line(options.redisPort) : null;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null && isAlive(this.pid);
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** With settings that last until the next plain start. */
  async start(more: Readonly<Record<string, string>> = {}): Promise<void> {
    if (this.isRunning) throw new Error(`${this.name} runs already`);
    if (this.toDatabase.port === 0) await this.toDatabase.open();
    if (this.toRedis?.port === 0) await this.toRedis.open();
    this.#more = more;
    this.#isToEnd = false;
    this.#isStopped = false;
    const log = openSync(this.logPath, "a");
    const child = spawn(process.execPath, ["--enable-source-maps", this.#options.program], {
      env: this.#environment(),
      // The channel tells it when we are gone.
      stdio: ["ignore", log, log, "ipc"],
    });
    closeSync(log);
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      child.once("exit", (code, signal) => {
        if (!this.#isToEnd) this.ownEnds.push(`${this.name} ended by itself with ${signal ?? code}`);
        resolve(code);
      });
      child.once("error", () => resolve(null));
    });
    if (child.pid !== undefined) this.#options.warden.guard(child.pid);
  }

  /** Its exit code, once it has ended. */
  get ended(): Promise<number | null> {
    return this.#ended;
  }

  /** Told to end, or killed: either way its end is ours. */
  async end(signal: "SIGKILL" | "SIGTERM", limitMs = 60_000): Promise<number | null> {
    if (!this.isRunning) return null;
    this.signal(signal);
    if (this.#isStopped) this.signal("SIGCONT");
    await until(`${this.name} has ended`, () => !this.isRunning, limitMs, 10);
    return this.#ended;
  }

  signal(signal: "SIGKILL" | "SIGTERM" | "SIGSTOP" | "SIGCONT"): void {
    if (signal === "SIGKILL" || signal === "SIGTERM") this.#isToEnd = true;
    if (signal === "SIGSTOP") this.#isStopped = true;
    if (signal === "SIGCONT") this.#isStopped = false;
    if (this.isRunning) process.kill(this.pid, signal);
  }

  /** It may end by itself from here on, as one that refuses to start does. */
  letEnd(): void {
    this.#isToEnd = true;
  }

  /** Back to normal: woken, its lines whole, and started again if it is gone, as a supervisor does. */
  async heal(): Promise<void> {
    if (this.#isStopped) this.signal("SIGCONT");
    await this.toDatabase.heal();
    await this.toRedis?.heal();
    if (this.isRunning && Object.keys(this.#more).length > 0) await this.end("SIGTERM");
    if (!this.isRunning) await this.start();
  }

  get logPath(): string {
    const folder = join(this.#options.warden.folder, "logs");
    mkdirSync(folder, { recursive: true });
    return join(folder, `${this.name}.log`);
  }

  /** Where its log ends now: what comes later is `said`. */
  logEnd(): number {
    return statSync(this.logPath, { throwIfNoEntry: false })?.size ?? 0;
  }

  said(from = 0): string {
    return readFileSync(this.logPath).subarray(from).toString("utf8");
  }

  async close(): Promise<void> {
    if (this.#isStopped) this.signal("SIGCONT");
    await this.end("SIGKILL").catch(() => undefined);
    await this.toDatabase.close();
    await this.toRedis?.close();
  }

  #environment(): NodeJS.ProcessEnv {
    const kept = INHERITED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
    const url = new URL(this.#options.databaseUrl());
    url.port = String(this.toDatabase.port);
    const redis = this.toRedis ? { REDIS_URL: `redis://127.0.0.1:${this.toRedis.port}` } : {};
    return {
      ...Object.fromEntries(kept),
      NODE_ENV: "production",
      DATABASE_URL: url.toString(),
      ...redis,
      APOLLO_DATA_DIR: join(this.#options.warden.folder, this.name),
      APOLLO_DEMO: "off",
      APOLLO_LOG_LEVEL: "info",
      ...this.#options.env,
      ...this.#more,
    };
  }
}
