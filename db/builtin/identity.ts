import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { EmbeddedPostgresError } from "./failure";

/** Whom the server runs as: PostgreSQL refuses root, so root hands it to another user. */
export interface Identity {
  /** `undefined`: as this process, which is not root. */
  readonly account: { readonly uid: number; readonly gid: number; readonly name: string } | undefined;
}

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** As a normal user: oneself. As root: whoever owns the data already, else the `postgres` user, made when missing. */
export function chooseIdentity(home: string): Identity {
  if (!isRoot()) return { account: undefined };
  const owner = statSync(home, { throwIfNoEntry: false });
  const owning = owner && owner.uid !== 0 ? accountOf((row) => row.uid === owner.uid) : undefined;
  return { account: owning ?? accountOf(isPostgres) ?? makePostgresUser() };
}

interface PasswdRow {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

const isPostgres = (row: PasswdRow) => row.name === "postgres";

function accountOf(wanted: (row: PasswdRow) => boolean): PasswdRow | undefined {
  return readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"))
    .map(([name = "", , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .find((row) => row.name !== "" && wanted(row));
}

function makePostgresUser(): PasswdRow {
  const tries: [string, string[]][] = [
    ["useradd", ["--system", "--no-create-home", "--user-group", "--shell", "/usr/sbin/nologin", "postgres"]],
    ["adduser", ["-S", "-D", "-H", "postgres"]],
  ];
  for (const [command, args] of tries) {
    spawnSync(command, args, { stdio: "ignore" });
    const made = accountOf(isPostgres);
    if (made) return made;
  }
  throw new EmbeddedPostgresError(
    "PostgreSQL refuses to run as root, and no user `postgres` exists or could be made. " +
      "Make one (`useradd --system postgres`), start as a normal user, or set DATABASE_URL.",
  );
}

/** The folder on the way to `path` that the account may not enter, if there is one. */
export function closedParent(path: string, identity: Identity): string | undefined {
  const { account } = identity;
  if (!account) return undefined;
  const parents: string[] = [];
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    parents.unshift(folder);
    if (dirname(folder) === folder) break;
  }
  return parents.find((folder) => {
    const stat = statSync(folder, { throwIfNoEntry: false });
    if (!stat) return false;
    if (stat.uid === account.uid) return (stat.mode & 0o100) === 0;
    if (stat.gid === account.gid) return (stat.mode & 0o010) === 0;
    return (stat.mode & 0o001) === 0;
  });
}
