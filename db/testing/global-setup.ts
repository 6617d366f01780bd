import { drizzle } from "drizzle-orm/postgres-js";
import { migrate } from "drizzle-orm/postgres-js/migrator";
import postgres from "postgres";
import type { TestProject } from "vitest/node";
import { startScratchPostgres } from "../embedded";

declare module "vitest" {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

/** The migrated database that each test file copies; no one may stay connected to it. */
export const TEMPLATE = "apollo_template";

export const withDatabase = (url: string, name: string) => {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.toString();
};

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startScratchPostgres();
  const admin = postgres(server.url, { max: 1, onnotice: () => {} });
  await admin.unsafe(`create database ${TEMPLATE}`);
  await admin.end();
  const template = postgres(withDatabase(server.url, TEMPLATE), { max: 1, onnotice: () => {} });
  await migrate(drizzle(template), { migrationsFolder: "db/migrations" });
  await template.end();
  project.provide("postgresUrl", server.url);
  return async () => {
    await server.stop();
  };
}
