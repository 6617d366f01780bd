import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { until } from "../../fixtures/until";
import { Disk, whyNoDisk } from "../rig/disk";
import { pass } from "../rig/pass";
import type { Rig } from "../rig/rig";
import type { Row } from "./row";

const RESUME_MS = 60_000;
const DATA_MEGABYTES = 500;

/** More than the journal's segments that are there already can take. */
async function noSpace(rig: Rig): Promise<boolean> {
  try {
    await rig.sql.begin(async (tx) => {
      await tx`create temporary table chaos_filling on commit drop as
        select string_agg(md5(random()::text || n), '') as text from generate_series(1, 4000000) n group by n % 100000`;
      await tx`create table chaos_full as select * from chaos_filling`;
      throw new RangeError("it was written");
    });
  } catch (error) {
    return !(error instanceof RangeError);
  }
  return false;
}

const databaseFull: Row = {
  id: "F16",
  title: "the database's volume is full",
  short: false,
  impossible: whyNoDisk,
  run: async (stage) => {
    const { rig } = stage;
    const disk = new Disk(rig.warden);
    const data = join(rig.database.folder, "data");
    await rig.database.stop("fast");
    disk.mount(DATA_MEGABYTES);
    execFileSync("cp", ["-a", data, join(disk.folder, "data")]);
    execFileSync("mv", [data, `${data}.aside`]);
    execFileSync("ln", ["-s", join(disk.folder, "data"), data]);
    try {
      await rig.database.start();
      await rig.ready();
      await rig.probe();
      disk.fill();
      const refused = await noSpace(rig);
      stage.expect(refused, "the database has no space: what is written at length fails");
      disk.fill();
      await pass(stage.isShort ? 5_000 : 20_000);
      const reads = await rig.webAnswers();
      stage.note(reads ? "with no space left, pages can be read" : "with no space left, PostgreSQL itself has gone down");
      disk.free();
      const fromMs = performance.now();
      if (!(await rig.database.answers()) && !rig.database.isRunning) await rig.database.start();
      await rig.database.recovered(RESUME_MS);
      await rig.ready();
      await rig.probe();
      stage.measure("works again after space came back", performance.now() - fromMs, RESUME_MS);
    } finally {
      disk.free();
      if (rig.database.isRunning) await rig.database.stop("fast").catch(() => undefined);
      execFileSync("rm", [data]);
      execFileSync("rm", ["-rf", `${data}.aside`]);
      execFileSync("cp", ["-a", join(disk.folder, "data"), data]);
      disk.unmount();
      await rig.database.start();
    }
  },
};

const workerFull: Row = {
  id: "F17",
  title: "a worker's volume is full",
  short: false,
  impossible: whyNoDisk,
  run: async (stage) => {
    const { rig } = stage;
    const disk = new Disk(rig.warden);
    const worker = rig.member("w4");
    const refusal = async () => (await rig.ask<{ refusing: string | null }>`select refusing from workers where id = 'w4'`)?.[0]?.refusing;
    disk.mount(16);
    try {
      await worker.end("SIGTERM");
      await worker.start({ APOLLO_DATA_DIR: disk.folder });
      await until("it takes nodes", async () => (await refusal()) === null && (await rig.liveWorkers()) >= 4, 60_000);
      await pass(2_000);
      disk.fill();
      const fullMs = performance.now();
      await until("it takes no more nodes", async () => (await refusal()) === "disk", 30_000);
      stage.measure("takes no more nodes", performance.now() - fullMs, 15_000);
      stage.measure("a run of one node meanwhile", await rig.probe(), 15_000);
      await pass(5_000);
      stage.expect(worker.isRunning, "it lives on");
      disk.free();
      const freeMs = performance.now();
      await until("it takes nodes again", async () => (await refusal()) === null, 90_000);
      stage.measure("takes nodes again", performance.now() - freeMs, RESUME_MS);
    } finally {
      await worker.end("SIGTERM");
      disk.unmount();
      await worker.start();
    }
  },
};

export const diskRows: readonly Row[] = [databaseFull, workerFull];
