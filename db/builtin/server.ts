import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, renameSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { EmbeddedPostgresError } from "./failure";
import { clearUnfinished, type Home, markInitialised, writeOwned } from "./home";
import { findPostmaster, isAlive, type Postmaster, removeStalePid, signalStop } from "./postmaster";
import { lookUntil } from "./waiting";

const LOG_LIMIT_BYTES = 10_000_000;

export type ServerSettings = Readonly<Record<string, string>>;

/** Loopback only, no socket file, and as durable as PostgreSQL is by default. */
const SETTINGS: ServerSettings = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "100",
  timezone: "UTC",
  log_timezone: "UTC",
  log_checkpoints: "off",
  // A month that has just begun is counted soon, so that plans know of its rows.
  autovacuum_naptime: "15s",
};

export async function initialise(home: Home, extraArgs: readonly string[] = []): Promise<void> {
  clearUnfinished(home);
  const args = ["-D", home.data, "-U", "apollo", "--pwfile", join(home.folder, "password"), "--auth=scram-sha-256"];
  const child = start(home, "initdb", [...args, "--encoding=UTF8", "--locale=C.UTF-8", "--no-instructions", ...extraArgs]);
  const code = await child.exit;
  if (code !== 0) throw new EmbeddedPostgresError(`initdb could not make ${home.data}:\n${tailOf(home.log)}`);
  markInitialised(home);
}

/** Starts the server and waits until it takes connections; tries again where a killed one is still letting go. */
export async function launch(home: Home, settings: ServerSettings = {}): Promise<Postmaster> {
  let port = await freePort(lastPort(home));
  for (let attempt = 1; ; attempt += 1) {
    removeStalePid(home.data);
    const all = { ...SETTINGS, ...settings, port: String(port) };
    const child = start(home, "postgres", ["-D", home.data, ...Object.entries(all).flatMap(([key, value]) => ["-c", `${key}=${value}`])]);
    const found = await lookUntil(() => (child.hasEnded() ? "ended" : readyAt(home)), 60_000);
    if (found !== undefined && found !== "ended") {
      child.letGo();
      writeOwned(join(home.folder, "port"), String(found.port), home.identity);
      return found;
    }
    const said = tailOf(home.log);
    const passes = /pre-existing shared memory|could not bind|lock file .* already exists/i.test(said);
    if (!passes || attempt >= 8) throw new EmbeddedPostgresError(`PostgreSQL did not start. The end of ${home.log}:\n${said}`);
    await lookUntil(() => undefined, 150 * attempt);
    port = await freePort(port);
  }
}

/** A server that already runs on this data and can be used, or `undefined` when one must be launched. */
export async function adopt(home: Home, answers: (port: number) => Promise<boolean>): Promise<Postmaster | undefined> {
  const found = await lookUntil(async () => {
    const postmaster = findPostmaster(home.data);
    if (!postmaster) return "none";
    return postmaster.status === "ready" && (await answers(postmaster.port)) ? postmaster : undefined;
  }, 15_000);
  if (found === "none") return undefined;
  if (found) return found;
  const deaf = findPostmaster(home.data);
  if (deaf) await stopPostmaster(deaf.pid, "immediate", 3_000);
  return undefined;
}

/** Stops a server; one that does not go in time is killed, which its log of changes outlives. */
export async function stopPostmaster(pid: number, how: "fast" | "immediate", graceMs: number): Promise<void> {
  const gone = () => (isAlive(pid) ? undefined : true);
  signalStop(pid, how);
  if (await lookUntil(gone, graceMs)) return;
  signalStop(pid, "immediate");
  if (await lookUntil(gone, 1_000)) return;
  process.kill(pid, "SIGKILL");
  await lookUntil(gone, 1_000);
}

function readyAt(home: Home): Postmaster | undefined {
  const postmaster = findPostmaster(home.data);
  return postmaster?.status === "ready" ? postmaster : undefined;
}

/** Detached, so that a Ctrl-C meant for us does not stop it before its clients. */
function start(home: Home, program: string, args: readonly string[]) {
  rotate(home.log);
  const log = openSync(home.log, "a", 0o600);
  const { account } = home.identity;
  const child = spawn(join(home.native, "bin", program), args, {
    cwd: home.folder,
    env: { NODE_ENV: "production", PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C.UTF-8", TZ: "UTC" },
    stdio: ["ignore", log, log],
    detached: true,
    uid: account?.uid,
    gid: account?.gid,
  });
  closeSync(log);
  let ended = false;
  const exit = new Promise<number>((resolve, reject) => {
    child.once("error", (cause) => {
      ended = true;
      reject(new EmbeddedPostgresError(`${program} could not be run: ${cause.message}`, { cause }));
    });
    child.once("exit", (code) => {
      ended = true;
      resolve(code ?? 1);
    });
  });
  exit.catch(() => undefined);
  return { exit, hasEnded: () => ended, letGo: () => child.unref() };
}

function rotate(log: string): void {
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > LOG_LIMIT_BYTES) renameSync(log, `${log}.1`);
}

function tailOf(log: string): string {
  return readFileSync(log, "utf8").trimEnd().split("\n").slice(-12).join("\n");
}

function lastPort(home: Home): number | undefined {
  try {
    return Number(readFileSync(join(home.folder, "port"), "utf8")) || undefined;
  } catch {
    return undefined;
  }
}

/** The wanted port when it is free, so that a server that comes back is found where it was; else any free one. */
async function freePort(wanted = 0): Promise<number> {
  return (await tryPort(wanted)) ?? (await tryPort(0)) ?? Promise.reject(new EmbeddedPostgresError("No free port on 127.0.0.1."));
}

function tryPort(wanted: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(undefined));
    probe.listen(wanted, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address ? address.port : undefined));
    });
  });
}
