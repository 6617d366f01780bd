import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Child } from "./child.mjs";
import { Refusal } from "./refusal.mjs";
import { Silence } from "./silence.mjs";
import { runProgram } from "./steps.mjs";

const POSTGRES_START_MS = 90_000;
const READY_MS = 90_000;
/** Children that end this often in a row before the product is ready will not make it. */
const HOPELESS_FAILURES = 4;
/** A process that lives and does not answer, for this long, is ended and started again. */
const SILENT_MS = 30_000;
const WATCH_EVERY_MS = 5_000;
/** Five seconds are promised for everything: clients first, then the database that they write to. */
const CLIENT_GRACE_MS = 2_800;
const POSTGRES_GRACE_MS = 1_700;

/** The processes of one machine: started in order, kept alive, stopped clients first. */
export class Supervisor {
  #root;
  #env;
  #journal;
  #roll;
  #program;
  #clients = [];
  #postgres;
  #once = new Set();
  #watch;
  #stopping;

  /** `program`: the arguments that run a program by name, or nothing where it does not exist. */
  constructor({ root, env, journal, roll, program }) {
    this.#root = root;
    this.#env = env;
    this.#journal = journal;
    this.#roll = roll;
    this.#program = program;
  }

  has(name) {
    return this.#program(name) !== undefined;
  }

  /** What every program that starts from now on sees as well. */
  shareEnv(env) {
    this.#env = { ...this.#env, ...env };
  }

  get isStopping() {
    return this.#stopping !== undefined;
  }

  /** Starts the embedded server and gives its URL; later news of it reach the clients. */
  startPostgres(elsewhere) {
    return new Promise((resolve, reject) => {
      let url;
      const onMessage = (message) => {
        if (message?.kind !== "postgres") return;
        this.#roll.set("postmaster", message.pid, { port: message.port, folder: message.folder });
        if (url === undefined) resolve(message);
        else if (message.url !== url) this.#moveTo(message.url);
        url = message.url;
        this.#env = { ...this.#env, DATABASE_URL: url };
      };
      const onExit = () => {
        if (url === undefined) reject(new Refusal(this.#journal.tail("postgres")));
      };
      this.#postgres = this.#child("postgres", [...this.#program("postgres"), ...(elsewhere ? [elsewhere] : [])], { onMessage, onExit });
      this.#postgres.start();
      setTimeout(
        () => reject(new Refusal(`PostgreSQL did not start in time.\n${this.#journal.tail("postgres")}`)),
        POSTGRES_START_MS,
      ).unref();
    });
  }

  #moveTo(url) {
    for (const client of this.#clients) {
      client.setEnv({ DATABASE_URL: url });
      client.restart();
    }
  }

  /** Runs a program to its end; its failure ends the start. */
  async runOnce(name, args = this.#program(name)) {
    let running;
    const { code, output } = await runProgram(process.execPath, args, {
      cwd: this.#root,
      env: this.#env,
      onChild: (child) => {
        running = child;
        this.#once.add(child);
      },
    });
    this.#once.delete(running);
    for (const text of output.trimEnd().split("\n")) if (text) this.#journal.line(name, redact(text));
    if (code !== 0 && !this.isStopping) throw new Refusal(`${name} failed:\n${output.trimEnd().split("\n").slice(-12).join("\n")}`);
    return output.trim();
  }

  startClient(name, args, env = {}) {
    if (this.isStopping) return;
    const client = this.#child(name, args, { env });
    this.#clients.push(client);
    client.start();
  }

  /** Starts a program under a name of its own; one that this tree does not have is left out. */
  startProgram(name, program = name, env = {}) {
    if (this.has(program)) this.startClient(name, this.#program(program), env);
  }

  /** Ends some clients, which start again at once: with changed sources in development. */
  restart(names) {
    for (const client of this.#clients) if (names.includes(client.name)) client.restart();
  }

  #child(name, args, more = {}) {
    return new Child({
      name,
      command: process.execPath,
      args,
      cwd: this.#root,
      journal: this.#journal,
      roll: this.#roll,
      ...more,
      env: { ...this.#env, ...more.env },
    });
  }

  /** Waits until our own web says that a leader and a worker are there; an old web's answer does not count. */
  async untilReady(healthUrl, bootId) {
    const endMs = performance.now() + READY_MS;
    let last = "no answer";
    while (!this.isStopping) {
      const health = await askHealth(healthUrl);
      if (health?.bootId === bootId && health.leader && countOf(health.workers) > 0) return;
      if (health) last = `leader ${health.leader ? "there" : "missing"}, ${countOf(health.workers)} workers, boot id ${health.bootId}`;
      const hopeless = this.#clients.find((client) => client.failures >= HOPELESS_FAILURES);
      if (hopeless) throw new Refusal(`${hopeless.name} does not stay up:\n${this.#journal.tail(hopeless.name)}`);
      if (performance.now() > endMs) throw new Refusal(`Not ready after ${READY_MS / 1000} s (${last}). The log is ${this.#journal.path}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Ends a web that lives and has not answered for long; its next life may be a better one. */
  watchWeb(healthUrl, bootId) {
    const silence = new Silence(SILENT_MS);
    const look = async () => {
      const health = await askHealth(healthUrl);
      const web = this.#clients.find((client) => client.name === "web");
      if (!web || this.isStopping) return;
      if (silence.isTooLong({ answered: health?.bootId === bootId, pid: web.pid }, performance.now())) {
        this.#journal.line("web", `no answer for ${SILENT_MS / 1000} s; it is ended and started again`);
        web.restart(CLIENT_GRACE_MS);
      }
    };
    this.#watch = setInterval(() => void look(), WATCH_EVERY_MS);
    this.#watch.unref();
  }

  stop() {
    clearInterval(this.#watch);
    this.#stopping ??= this.#stopAll();
    return this.#stopping;
  }

  async #stopAll() {
    for (const child of this.#once) child.kill("SIGTERM");
    await Promise.all(this.#clients.map((client) => client.stop(CLIENT_GRACE_MS)));
    await this.#postgres?.stop(POSTGRES_GRACE_MS);
    this.#roll.leave();
  }
}

/** Arguments that run the built web with an eye on us. */
export function webArgs(root) {
  return ["--import", pathToFileURL(join(root, "workers/launch/parent-gone.mjs")).href, join(root, ".next/standalone/server.js")];
}

async function askHealth(url) {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    return await answer.json();
  } catch {
    return undefined;
  }
}

function countOf(workers) {
  return Array.isArray(workers) ? workers.length : Number(workers) || 0;
}

/** One-time links and tokens are for the person at the console, not for a file. */
function redact(text) {
  return text.replace(/([?&](?:token|code|key)=|first-admin\/)[\w-]+/g, "$1…");
}
