import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { chooseIdentity, closedParent, isRoot } from "./builtin/identity";
import { findPostmaster, isAlive } from "./builtin/postmaster";
import { lookUntil } from "./builtin/waiting";
import { type EmbeddedPostgres, startEmbeddedPostgres, startScratchPostgres } from "./embedded";

let folder: string;
const running: EmbeddedPostgres[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "apollo-embedded-"));
});

afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir: folder });
  running.push(server);
  return server;
}

async function query(url: string, text: string): Promise<readonly Record<string, unknown>[]> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    return await sql.unsafe(text);
  } finally {
    await sql.end();
  }
}

describe("embedded PostgreSQL", () => {
  it("starts from nothing, durable, on loopback, in UTF-8, with its own password (ECO-3)", async () => {
    const server = await start();
    const names = ["server_version_num", "fsync", "synchronous_commit", "listen_addresses", "unix_socket_directories", "max_connections"];
    const rows = await query(
      server.url,
      `select name, setting from pg_settings where name in (${names.map((name) => `'${name}'`).join()})`,
    );
    const settings = Object.fromEntries(rows.map((row) => [row.name, row.setting]));
    expect(settings).toMatchObject({
      fsync: "on",
      synchronous_commit: "on",
      listen_addresses: "127.0.0.1",
      unix_socket_directories: "",
      max_connections: "100",
    });
    expect(Number(settings.server_version_num)).toBeGreaterThanOrEqual(180_000);
    expect(await query(server.url, "select '航天' as word, current_database() as base")).toEqual([{ word: "航天", base: "apollo" }]);
    expect(statSync(join(server.folder, "password")).mode & 0o077).toBe(0);
    await expect(query(server.url.replace(/:[0-9a-f]+@/, ":wrong@"), "select 1")).rejects.toThrow(/password authentication failed/);
  });

  it("takes over a server that a killed keeper left running, at the same address", async () => {
    const first = await start();
    const second = await start();
    expect(second).toMatchObject({ adopted: true, pid: first.pid, url: first.url });
  });

  it("comes back after kill -9 with what was committed, on the port that it had (RUN-7)", async () => {
    const first = await start();
    await query(first.url, "create table kept as select 11 as n");
    process.kill(first.pid, "SIGKILL");
    await lookUntil(() => (isAlive(first.pid) ? undefined : true), 5_000);
    const second = await start();
    expect(second).toMatchObject({ adopted: false, url: first.url });
    expect(await query(second.url, "select n from kept")).toEqual([{ n: 11 }]);
  });

  it("does initdb again when it was cut off half way", async () => {
    const first = await start();
    await first.stop();
    rmSync(join(first.folder, "initialised"));
    rmSync(join(first.folder, "data", "global"), { recursive: true });
    const second = await start();
    expect(await query(second.url, "select 1 as one")).toEqual([{ one: 1 }]);
    expect(readdirSync(second.folder)).toContain("data.unfinished");
  });

  it("ignores a pid file whose number now belongs to another program", async () => {
    const first = await start();
    await first.stop();
    const path = join(first.folder, "data", "postmaster.pid");
    writeFileSync(path, [process.pid, join(first.folder, "data"), 1, first.port, "", "127.0.0.1", "", "ready"].join("\n"));
    expect(findPostmaster(join(first.folder, "data"))).toBeUndefined();
    const second = await start();
    expect(second.adopted).toBe(false);
  });

  it("refuses data of another major version with the way out, and leaves it alone", async () => {
    const first = await start();
    await first.stop();
    writeFileSync(join(first.folder, "initialised"), "17\n");
    await expect(start()).rejects.toThrow(/PostgreSQL 17.*pg_dump/s);
    expect(readFileSync(join(first.folder, "data", "PG_VERSION"), "utf8").trim()).toBe("18");
  });

  it("stops within its time while a client holds a transaction", async () => {
    const server = await start();
    const sql = postgres(server.url, { max: 1, onnotice: () => undefined });
    const held = sql.begin(async (tx) => tx`select pg_sleep(60)`).catch((error: unknown) => error);
    await lookUntil(async () => {
      const [row] = await query(
        server.url,
        "select count(*)::int as n from pg_stat_activity where query like '%pg_sleep(60)%' and state = 'active'",
      );
      return Number(row?.n) > 1 ? true : undefined;
    }, 5_000);
    const startedMs = performance.now();
    await server.stop();
    expect(performance.now() - startedMs).toBeLessThan(5_000);
    expect(server.isAlive()).toBe(false);
    expect(await held).toBeInstanceOf(Error);
    await sql.end({ timeout: 1 });
  });

  it.runIf(isRoot())("never runs as root, and names the folder that its user may not enter", () => {
    const closed = join(folder, "closed");
    expect(closedParent(join(closed, "postgres"), chooseIdentity(folder))).toBe(folder);
    expect(chooseIdentity(folder).account?.uid).not.toBe(0);
  });

  it("gives tests a scratch server that leaves nothing behind", async () => {
    const scratch = await startScratchPostgres();
    const [row] = await query(scratch.url, "select current_setting('data_directory') as path, current_setting('fsync') as fsync");
    expect(row?.fsync).toBe("off");
    await scratch.stop();
    expect(statSync(String(row?.path), { throwIfNoEntry: false })).toBeUndefined();
  });
});
