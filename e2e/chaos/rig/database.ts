import { join } from "node:path";
import { migrate } from "drizzle-orm/postgres-js/migrator";
import postgres from "postgres";
import { findPostmaster } from "../../../db/builtin/postmaster";
import { type Client, connect, type Db } from "../../../db/client";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../../db/embedded";
import { isAlive } from "../../fixtures/processes";
import { until } from "../../fixtures/until";
import type { Warden } from "./warden";

/** A rig's own PostgreSQL: real binaries, real crashes, always on the same port and data. */
export class Database {
  readonly #warden: Warden;
  #server: EmbeddedPostgres | null = null;
  #url = "";
  #sql: postgres.Sql | null = null;
  #client: Client | null = null;

  constructor(warden: Warden) {
    this.#warden = warden;
  }

  /** By no proxy: what the rig itself asks. */
  get sql(): postgres.Sql {
    if (!this.#sql) throw new Error("the database was not started");
    return this.#sql;
  }

  /** For the engine's verbs; Drizzle changes how its client reads times, so that it has one of its own. */
  get db(): Db {
    if (!this.#client) throw new Error("the database was not started");
    return this.#client.db;
  }

  get url(): string {
    return this.#url;
  }

  get port(): number {
    return Number(new URL(this.#url).port);
  }

  get folder(): string {
    return join(this.#warden.folder, "postgres");
  }

  async start(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    // Commit times tell the checker what came first, whatever instants the rows hold.
    const all = { max_connections: "150", log_min_messages: "fatal", track_commit_timestamp: "on", ...settings };
    this.#server = await startEmbeddedPostgres({ dataDir: this.#warden.folder, settings: all });
    this.#warden.guard(this.#server.pid);
    if (this.#url !== "" && this.#url !== this.#server.url) throw new Error("the database came back on another port");
    this.#url = this.#server.url;
    this.#client ??= connect({ url: this.#url, max: 2, applicationName: "chaos-rig" });
    this.#sql ??= postgres(this.#url, {
      max: 4,
      onnotice: () => undefined,
      connection: { application_name: "chaos-rig", TimeZone: "UTC" },
      connect_timeout: 5,
      backoff: () => 0.2,
    });
  }

  async migrate(): Promise<void> {
    await migrate(this.db, { migrationsFolder: "db/migrations" });
  }

  /** `immediate` leaves everything to recovery; `kill` does not even ask. */
  async stop(how: "fast" | "immediate" | "kill"): Promise<void> {
    const pid = this.#server?.pid;
    if (pid === undefined) return;
    process.kill(pid, { fast: "SIGINT", immediate: "SIGQUIT", kill: "SIGKILL" }[how] as NodeJS.Signals);
    await until("the database has ended", () => !isAlive(pid), 30_000);
  }

  /** Whether it takes connections; a crash of one backend makes it recover by itself. */
  async answers(): Promise<boolean> {
    return (await this.sql`select 1`.catch(() => null)) !== null;
  }

  /** Until it answers, after a crash that it recovers from by itself. */
  async recovered(limitMs = 60_000): Promise<void> {
    await until("the database answers", () => this.answers(), limitMs);
  }

  get isRunning(): boolean {
    return findPostmaster(join(this.folder, "data")) !== undefined;
  }

  async close(): Promise<void> {
    await Promise.all([this.#sql?.end({ timeout: 1 }), this.#client?.close()]);
    await this.stop("immediate").catch(() => undefined);
  }
}
