import { randomBytes } from "node:crypto";
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { findBinaries, POSTGRES_MAJOR } from "./binaries";
import { EmbeddedPostgresError } from "./failure";
import { chooseIdentity, closedParent, type Identity } from "./identity";

/** Where one embedded server lives, and what it runs with. */
export interface Home {
  readonly folder: string;
  /** PostgreSQL's own data directory. */
  readonly data: string;
  readonly log: string;
  readonly native: string;
  readonly identity: Identity;
  readonly password: string;
}

export interface HomeOptions {
  readonly dataDir: string;
  /** Used instead of the data folder where the server's user may not enter it. */
  readonly elsewhere?: string;
}

/** Picks and prepares the folder: made, owned by the server's user, with a password file only that user can read. */
export function prepareHome(options: HomeOptions): Home {
  const folder = chooseFolder(options);
  const identity = chooseIdentity(folder);
  makeFolder(folder, identity);
  const native = reachableBinaries(folder, identity);
  return { folder, data: join(folder, "data"), log: join(folder, "server.log"), native, identity, password: ownPassword(folder, identity) };
}

export function isInitialised(folder: string): boolean {
  return existsSync(join(folder, "initialised"));
}

/** Written last, so that a half-finished initdb is known and done again. */
export function markInitialised(home: Home): void {
  writeOwned(join(home.folder, "initialised"), `${POSTGRES_MAJOR}\n`, home.identity);
}

/** Makes way for initdb; a refused version is left alone, an unfinished folder is kept under another name once. */
export function clearUnfinished(home: Home): void {
  const unfinished = `${home.data}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  if (existsSync(home.data)) renameSync(home.data, unfinished);
}

export function refuseOtherVersion(home: Home): void {
  const found = readFileSync(join(home.folder, "initialised"), "utf8").trim();
  if (found === POSTGRES_MAJOR) return;
  throw new EmbeddedPostgresError(
    `${home.data} was made by PostgreSQL ${found}, and this release brings ${POSTGRES_MAJOR}. ` +
      "Dump it with the former release (`pg_dump`), start this one with an empty APOLLO_DATA_DIR, and restore the dump.",
  );
}

export function writeOwned(path: string, text: string, identity: Identity): void {
  writeFileSync(path, text, { mode: 0o600 });
  if (identity.account) chownSync(path, identity.account.uid, identity.account.gid);
}

function chooseFolder({ dataDir, elsewhere }: HomeOptions): string {
  const inside = resolve(dataDir, "postgres");
  const other = elsewhere && resolve(elsewhere, "postgres");
  openToTraverse(resolve(dataDir));
  if (other && isInitialised(other)) return other;
  const closed = closedParent(inside, chooseIdentity(inside));
  if (!closed) return inside;
  if (other && !isInitialised(inside)) {
    mkdirSync(resolve(other, ".."), { recursive: true, mode: 0o755 });
    if (!closedParent(other, chooseIdentity(other))) return other;
  }
  const user = chooseIdentity(inside).account?.name ?? "postgres";
  throw new EmbeddedPostgresError(
    `The embedded PostgreSQL runs as the user ${user}, who may not enter ${closed}. ` +
      `Set APOLLO_DATA_DIR to a folder outside of it, such as /var/lib/apollo-11, or run \`chmod o+x ${closed}\`.`,
  );
}

/** The server's user must pass through the data folder; it may not list or read it. */
function openToTraverse(folder: string): void {
  const before = statSync(folder, { throwIfNoEntry: false });
  if (!before) mkdirSync(folder, { recursive: true, mode: 0o711 });
  const { mode, uid } = statSync(folder);
  if (process.getuid?.() === 0 && uid === 0) chmodSync(folder, mode | 0o011);
}

function makeFolder(folder: string, identity: Identity): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (identity.account) {
    chownSync(folder, identity.account.uid, identity.account.gid);
    return;
  }
  const { uid } = statSync(folder);
  if (process.getuid && uid !== process.getuid()) {
    throw new EmbeddedPostgresError(
      `${folder} belongs to the user with id ${uid}. Start as that user or as root, or set APOLLO_DATA_DIR to another folder.`,
    );
  }
  accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
}

/** Copies the binaries beside the data when node_modules lies where the server's user may not go. */
function reachableBinaries(folder: string, identity: Identity): string {
  const native = findBinaries();
  if (!closedParent(join(native, "bin", "postgres"), identity)) return native;
  const copy = join(folder, "binaries");
  const complete = join(copy, "complete");
  const size = String(statSync(join(native, "bin", "postgres")).size);
  if (existsSync(complete) && readFileSync(complete, "utf8") === size) return copy;
  rmSync(copy, { recursive: true, force: true });
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  writeFileSync(complete, size);
  return copy;
}

function ownPassword(folder: string, identity: Identity): string {
  const path = join(folder, "password");
  if (!existsSync(path)) writeOwned(path, randomBytes(24).toString("hex"), identity);
  return readFileSync(path, "utf8").trim();
}
