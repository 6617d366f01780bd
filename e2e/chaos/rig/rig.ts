import { mkdirSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type postgres from "postgres";
import { testCtx } from "@/db/testing/ctx";
import { createToken } from "@/server/engine/access/create-token";
import type { Ctx } from "@/server/engine/context";
import { allowHost } from "@/server/engine/hosts/allow-host";
import { createProject } from "@/server/engine/projects/create-project";
import { freePort } from "../../fixtures/product";
import { until } from "../../fixtures/until";
import { Client } from "./client";
import { Database } from "./database";
import { Load } from "./load";
import { Member, type Role } from "./member";
import { loadPipelines } from "./pipelines";
import type { Programs } from "./programs";
import type { Random } from "./random";
import { Receiver } from "./receiver";
import { Redis } from "./redis";
import { Warden } from "./warden";

export type Backend = "redis" | "postgres";

export interface RigOptions {
  readonly backend: Backend;
  readonly programs: Programs;
  readonly random: Random;
  /** Between two submissions of the load. */
  readonly loadEveryMs: number;
}

export interface Leader {
  readonly member: Member;
  readonly epoch: number;
}

const SCHEDULERS = ["s1", "s2", "s3"];
const WORKERS = ["w1", "w2", "w3", "w4"];
const READY_MS = 90_000;

/** Three schedulers, four workers and a web process on a Postgres (and a Redis) of their own, each behind its own lines. */
export class Rig {
  readonly backend: Backend;
  readonly random: Random;
  readonly programs: Programs;
  readonly warden = new Warden();
  readonly database = new Database(this.warden);
  readonly redis: Redis | null;
  readonly receiver = new Receiver();
  readonly members = new Map<string, Member>();
  readonly loadEveryMs: number;
  #client: Client | null = null;
  #load: Load | null = null;
  #token = "";
  #projectId = "";

  constructor({ backend, programs, random, loadEveryMs }: RigOptions) {
    this.backend = backend;
    this.programs = programs;
    this.random = random;
    this.loadEveryMs = loadEveryMs;
    this.redis = backend === "redis" ? new Redis(this.warden) : null;
  }

  get sql(): postgres.Sql {
    return this.database.sql;
  }

  get client(): Client {
    if (!this.#client) throw new Error("the rig was not opened");
    return this.#client;
  }

  get load(): Load {
    if (!this.#load) throw new Error("the rig was not opened");
    return this.#load;
  }

  get projectId(): string {
    return this.#projectId;
  }

  get schedulers(): readonly Member[] {
    return SCHEDULERS.map((name) => this.member(name));
  }

  get workers(): readonly Member[] {
    return WORKERS.map((name) => this.member(name));
  }

  get web(): Member {
    return this.member("web");
  }

  member(name: string): Member {
    const found = this.members.get(name);
    if (!found) throw new Error(`there is no ${name}`);
    return found;
  }

  /** The engine's verbs for the rig's own use, by no line: what it prepares, and what it looks up. */
  ctx(): Ctx {
    return testCtx(this.database.db);
  }

  async open(): Promise<void> {
    await Promise.all([this.database.start(), this.redis?.start(), this.receiver.open()]);
    await this.database.migrate();
    await this.#openProject();
    const webPort = await freePort();
    this.#client = new Client(`http://127.0.0.1:${webPort}`, () => this.#token);
    this.#load = new Load(this.client, this.random, this.loadEveryMs);
    for (const name of SCHEDULERS) this.addMember(name, "scheduler", this.programs.scheduler);
    for (const name of WORKERS) this.addMember(name, "worker", this.programs.worker);
    this.addMember("web", "web", this.programs.web, { PORT: String(webPort) });
    // One after another: so many processes that start at once would hold each other up for long.
    for (const member of this.members.values()) await member.start();
    await this.ready();
    for (const [name, spec] of Object.entries(loadPipelines(this.receiver.url, this.database.url))) await this.client.apply(name, spec);
  }

  addMember(name: string, role: Role, program: string, env: Readonly<Record<string, string>> = {}): Member {
    const dataDir = join(this.warden.folder, name);
    mkdirSync(dataDir, { recursive: true });
    const ofWorker = { APOLLO_WORKER_ID: name, APOLLO_WORKER_SLOTS: "8", APOLLO_HANDLERS_DIR: this.programs.handlers };
    const member = new Member({
      name,
      role,
      program,
      warden: this.warden,
      databaseUrl: () => this.database.url,
      redisPort: this.redis ? () => this.redis?.port ?? 0 : null,
      env: {
        APOLLO_SECRET_KEY_FILE: join(this.warden.folder, "secret.key"),
        APOLLO_DRAIN_SECONDS: "10",
        ...(role === "worker" ? ofWorker : {}),
        ...env,
      },
    });
    this.members.set(name, member);
    return member;
  }

  /** A leader leads, every worker has its lease, and the web answers. */
  async ready(limitMs = READY_MS): Promise<void> {
    await until("a leader leads", async () => (await this.findLeader()) !== null, limitMs);
    await until("all workers are live", async () => (await this.liveWorkers()) >= WORKERS.length, limitMs);
    await until("the web answers", () => this.webAnswers(), limitMs);
  }

  async webAnswers(): Promise<boolean> {
    const answer = await this.client.call("GET", `/projects/${this.client.project}/pipelines?limit=1`).catch(() => null);
    return answer !== null && answer.status === 200;
  }

  async liveWorkers(): Promise<number> {
    const rows = await this.ask<{ n: number }>`select count(*)::int as n from workers where expires_at > clock_timestamp()`;
    return rows?.[0]?.n ?? 0;
  }

  /** Null while nobody leads, or the database does not answer. */
  async findLeader(): Promise<Leader | null> {
    const rows = await this.ask<{ holder: string; epoch: number }>`
      select holder, epoch from leases where name = 'scheduler' and expires_at > clock_timestamp()`;
    const [row] = rows ?? [];
    if (!row) return null;
    const member = [...this.members.values()].find(({ pid, isRunning }) => isRunning && row.holder === `${hostname()}:${pid}`);
    return member ? { member, epoch: row.epoch } : null;
  }

  async leader(): Promise<Leader> {
    return until("a leader leads", () => this.findLeader(), READY_MS);
  }

  /** How long until another leads under a higher epoch, from `fromMs` on. */
  async takeOver(epoch: number, fromMs: number, limitMs = 60_000): Promise<number> {
    await until(`an epoch after ${epoch}`, async () => ((await this.findLeader())?.epoch ?? 0) > epoch, limitMs, 20);
    return performance.now() - fromMs;
  }

  /** One run of one node, from asking to its end. */
  async probe(limitMs = 90_000): Promise<number> {
    const fromMs = performance.now();
    const id = await this.load.submit("probe");
    await this.runEnds(id, limitMs);
    return performance.now() - fromMs;
  }

  async runEnds(id: string, limitMs = 90_000): Promise<string> {
    return until(
      `run ${id} ends`,
      async () => {
        const rows = await this.ask<{
          state: string;
        }>`select state from runs where id = ${id} and state in ('SUCCESS','FAILED','CANCELED','PAUSED')`;
        return rows?.[0]?.state;
      },
      limitMs,
      30,
    );
  }

  /** Rows, or null while the database does not answer. */
  async ask<T extends object>(text: TemplateStringsArray, ...values: readonly (string | number | Date | null)[]): Promise<T[] | null> {
    try {
      return [...((await this.sql(text, ...values)) as unknown as T[])];
    } catch {
      return null;
    }
  }

  async databaseNow(): Promise<Date> {
    const [row] = await this.sql<{ now: Date }[]>`select clock_timestamp() as now`;
    if (!row) throw new Error("the database has no time");
    return row.now;
  }

  /** Everything whole again: services up, lines open, processes running. */
  async heal(): Promise<void> {
    if (!this.database.isRunning) await this.database.start();
    await this.database.recovered();
    if (this.redis && !this.redis.isRunning) await this.redis.start();
    await Promise.all([...this.members.values()].map((member) => member.heal()));
    await this.ready();
  }

  ownEnds(): string[] {
    return [...this.members.values()].flatMap((member) => member.ownEnds.splice(0));
  }

  async close(): Promise<void> {
    this.#load?.stop();
    await Promise.all([...this.members.values()].map((member) => member.close().catch(() => undefined)));
    this.receiver.close();
    await this.database.close().catch(() => undefined);
    await this.redis?.kill().catch(() => undefined);
    await this.warden.end();
  }

  async #openProject(): Promise<void> {
    const ctx = this.ctx();
    const { id } = await createProject(ctx, { key: "chaos", title: "Chaos" });
    this.#projectId = id;
    await allowHost(ctx, { projectId: id, host: "127.0.0.1", port: this.receiver.port, reason: "the receiver" });
    this.#token = (await createToken(ctx, { projectId: id, name: "rig", role: "admin" })).token;
  }
}
