import postgres from "postgres";
import { inject } from "vitest";
import { type Client, connect } from "../client";
import { TEMPLATE, withDatabase } from "./global-setup";

export interface TestDatabase extends Client {
  readonly url: string;
  /** Another pool on the same database, as a second process would have. */
  another(settings?: Record<string, number | string>): Client;
}

let made = 0;

/** A database of its own for one test file, copied from the migrated template. Close it in `afterAll`. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const serverUrl = inject("postgresUrl");
  const name = `t_${process.pid}_${++made}_${Math.random().toString(36).slice(2, 8)}`;
  const admin = postgres(serverUrl, { max: 1, onnotice: () => {} });
  await admin.unsafe(`create database ${name} template ${TEMPLATE}`);
  const url = withDatabase(serverUrl, name);
  const opened: Client[] = [];
  const open = (settings?: Record<string, number | string>) => {
    const client = connect({ url, max: 6, applicationName: "test", ...(settings ? { settings } : {}) });
    opened.push(client);
    return client;
  };
  const main = open();
  return {
    ...main,
    url,
    another: open,
    close: async () => {
      await Promise.all(opened.map((client) => client.close()));
      await admin.unsafe(`drop database if exists ${name} with (force)`);
      await admin.end();
    },
  };
}
