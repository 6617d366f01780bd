import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { drizzle } from "drizzle-orm/postgres-js";
import { migrate } from "drizzle-orm/postgres-js/migrator";
import postgres from "postgres";
import { DomainError } from "@/server/domain/failure";
import { readEnv } from "@/server/env";

/** One at a time over all processes and machines; any number will do, as long as it stays. */
const MIGRATION_LOCK = 11_196_907;

/** Brings the database to this release's tables; forward only, and safe beside processes of the release before. */
export async function migrateDatabase(migrationsFolder = defaultMigrations()): Promise<void> {
  const { databaseUrl } = readEnv();
  if (!databaseUrl)
    throw new DomainError("unavailable", "DATABASE_URL is not set, so there is nothing to migrate. Use `npm start`, or set it.");
  const sql = postgres(databaseUrl, { max: 1, connect_timeout: 15, onnotice: () => undefined });
  try {
    await sql`select pg_advisory_lock(${MIGRATION_LOCK})`;
    await migrate(drizzle(sql), { migrationsFolder });
  } catch (cause) {
    throw new DomainError("unavailable", `The database at ${placeOf(databaseUrl)} could not be migrated: ${reasonOf(cause)}`, { cause });
  } finally {
    await sql.end({ timeout: 2 });
  }
}

function defaultMigrations(): string {
  // This file runs as server/migrations.ts and, bundled, from dist/: both are one level under the root.
  return join(fileURLToPath(new URL("..", import.meta.url)), "db", "migrations");
}

/** Host, port and name without the password. */
function placeOf(databaseUrl: string): string {
  const { hostname, port, pathname } = new URL(databaseUrl);
  return `${hostname}:${port || 5432}${pathname}`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(", ");
  const inner = error.cause instanceof Error ? reasonOf(error.cause) : "";
  return inner || error.message;
}
