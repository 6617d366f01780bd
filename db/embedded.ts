import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { answers, ensureDatabase, urlOf } from "./builtin/database";
import { type HomeOptions, isInitialised, prepareHome, refuseOtherVersion } from "./builtin/home";
import { isAlive } from "./builtin/postmaster";
import { adopt, initialise, launch, type ServerSettings, stopPostmaster } from "./builtin/server";

export interface EmbeddedPostgres {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Where the server keeps its data. */
  readonly folder: string;
  /** Whether it ran already: one whose keeper was killed goes on and is taken over. */
  readonly adopted: boolean;
  isAlive(): boolean;
  stop(graceMs?: number): Promise<void>;
}

/**
 * Starts, or takes over, the real PostgreSQL that came with npm on the data of `dataDir`: as the user `postgres` when
 * we are root, else as ourselves, on a free loopback port, with a password of its own.
 */
export async function startEmbeddedPostgres(options: HomeOptions & { settings?: ServerSettings }): Promise<EmbeddedPostgres> {
  const home = prepareHome(options);
  if (isInitialised(home.folder)) refuseOtherVersion(home);
  else await initialise(home);
  const running = await adopt(home, (port) => answers(port, home.password));
  const postmaster = running ?? (await launch(home, options.settings));
  await ensureDatabase(postmaster.port, home.password);
  return {
    url: urlOf(postmaster.port, home.password),
    port: postmaster.port,
    pid: postmaster.pid,
    folder: home.folder,
    adopted: running !== undefined,
    isAlive: () => isAlive(postmaster.pid),
    stop: (graceMs = 2_000) => stopPostmaster(postmaster.pid, "fast", graceMs),
  };
}

/** Nothing of a scratch server outlives its test run, so it writes nothing through to the disk. */
const SCRATCH_SETTINGS: ServerSettings = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  max_connections: "200",
  autovacuum_naptime: "10s",
};

/**
 * A real PostgreSQL in a temporary folder, for tests and measurements. It goes when `stop` is called, and also when this
 * process dies without calling it. With settings of one's own it is as durable as they say.
 */
export async function startScratchPostgres(
  settings: ServerSettings = SCRATCH_SETTINGS,
): Promise<{ url: string; pid: number; log: string; stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "apollo-postgres-"));
  chmodSync(folder, 0o711);
  const home = prepareHome({ dataDir: folder });
  await initialise(home, ["--no-sync"]);
  const postmaster = await launch(home, settings);
  const endWatch = removeWhenGone(postmaster.pid, folder);
  await ensureDatabase(postmaster.port, home.password);
  return { url: urlOf(postmaster.port, home.password), pid: postmaster.pid, log: home.log, stop: endWatch };
}

/** A shell that waits for our end of its pipe to close, then stops the server and removes its folder. */
function removeWhenGone(pid: number, folder: string): () => Promise<void> {
  const script = 'read -r _; kill -QUIT "$1" 2>/dev/null; while kill -0 "$1" 2>/dev/null; do sleep 0.05; done; rm -rf "$2"';
  const watch = spawn("/bin/sh", ["-c", script, "watch", String(pid), folder], { stdio: ["pipe", "ignore", "ignore"], detached: true });
  watch.unref();
  return () =>
    new Promise((resolve) => {
      watch.once("exit", () => resolve());
      watch.ref();
      watch.stdin?.end();
    });
}
