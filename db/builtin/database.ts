import postgres from "postgres";

const DATABASE = "apollo";

export function urlOf(port: number, password: string): string {
  return `postgres://apollo:${password}@127.0.0.1:${port}/${DATABASE}`;
}

/** Whether the server answers a query with our password. */
export async function answers(port: number, password: string): Promise<boolean> {
  return (await ask(port, password, async (sql) => sql`select 1`).catch(() => undefined)) !== undefined;
}

/** The product's own database; `postgres` stays for maintenance. */
export async function ensureDatabase(port: number, password: string): Promise<void> {
  await ask(port, password, async (sql) => {
    const [found] = await sql`select 1 from pg_database where datname = ${DATABASE}`;
    if (!found) await sql.unsafe(`create database ${DATABASE}`);
  });
}

async function ask<T>(port: number, password: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres({
    host: "127.0.0.1",
    port,
    user: "apollo",
    password,
    database: "postgres",
    max: 1,
    connect_timeout: 5,
    onnotice: () => undefined,
  });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}
