import { eq, gt, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { workerBreakers } from "@/db/schema/breakers";
import { workers } from "@/db/schema/platform";
import { boardCells } from "@/db/statements/breakers/board-cells";
import { recentRunsOnly } from "@/db/statements/recent-runs";
import { judgeBoard } from "@/server/domain/breaker/blame";
import type { Finding } from "@/server/domain/playbooks/checks";
import { judgeBreaker, judgeCodes, judgeMemory, judgeTrips } from "@/server/domain/playbooks/judge";
import { visibleProjects } from "@/server/engine/breaker/visible-projects";
import type { CheckScene } from "./check-subject";

export interface WorkerScene extends CheckScene {
  readonly workerId: string;
}

const BOARD_HOURS = 6;
const MOST_WORKERS = 200;
const MOST_OF_EACH = 2_000;
const MOST_ROWS = 20;

const findWorker = async (tx: Tx, id: string) => (await tx.select().from(workers).where(eq(workers.id, id)))[0];
const asNumber = (value: unknown): number | null => (typeof value === "number" && Number.isFinite(value) ? value : null);

/** How its breaker stands, and whether it is there at all. Index: the keys of workers and worker_breakers. */
export async function workerBreaker({ tx, workerId, now }: WorkerScene): Promise<Finding> {
  const worker = await findWorker(tx, workerId);
  const [breaker] = await tx.select().from(workerBreakers).where(eq(workerBreakers.workerId, workerId));
  const state = (breaker?.state ?? "closed") as "closed" | "open" | "probing" | "held";
  const isLive = worker !== undefined && worker.expiresAt > now;
  return {
    verdict: judgeBreaker({ worker: workerId, isKnown: worker !== undefined, isLive, state }),
    columns: [
      { name: "state", kind: "mono" },
      { name: "since", kind: "instant" },
      { name: "until", kind: "instant" },
      { name: "why", kind: "text" },
      { name: "seenAt", kind: "instant" },
    ],
    rows: worker
      ? [
          [
            ...[state, breaker?.since.getTime() ?? null, breaker?.until?.getTime() ?? null],
            ...[breaker?.why?.reason ?? breaker?.why?.cause ?? null, worker.seenAt.getTime()],
          ],
        ]
      : [],
  };
}

/** What failed here and what failed elsewhere, in the projects that the reader may see. Index: error_events_worker. */
export async function workerCodes({ ctx, tx, workerId, now }: WorkerScene): Promise<Finding> {
  const since = new Date(now.getTime() - BOARD_HOURS * 3_600_000);
  const known = await tx
    .select({ id: workers.id, expiresAt: workers.expiresAt })
    .from(workers)
    .where(gt(workers.seenAt, since))
    .orderBy(workers.id)
    .limit(MOST_WORKERS);
  const ids = [...new Set([workerId, ...known.map(({ id }) => id)])];
  const found = await boardCells(tx, ids, { since, projectIds: visibleProjects(ctx.principal), mostOfEach: MOST_OF_EACH });
  const cells = found.map(({ worker_id, code, count }) => ({ worker: worker_id, code, count }));
  const own = cells.filter(({ worker }) => worker === workerId);
  const live = known.filter(({ expiresAt }) => expiresAt > now).length;
  const elsewhere = (code: string) =>
    cells.reduce((sum, cell) => sum + (cell.code === code && cell.worker !== workerId ? cell.count : 0), 0);
  return {
    verdict: judgeCodes(
      workerId,
      judgeBoard(cells, live),
      own.map(({ code }) => code),
    ),
    columns: [
      { name: "code", kind: "mono" },
      { name: "here", kind: "count" },
      { name: "elsewhere", kind: "count" },
    ],
    rows: own.slice(0, MOST_ROWS).map(({ code, count }) => [code, count, elsewhere(code)]),
  };
}

/** Its memory now, and what was killed for memory in the last day in this project. Index: error_events_worker. */
export async function workerMemory({ tx, projectId, workerId }: WorkerScene): Promise<Finding> {
  const worker = await findWorker(tx, workerId);
  const kills = await readKills(tx, projectId, workerId);
  const used = asNumber(worker?.heartbeat.memoryUsed);
  const rss = asNumber(worker?.heartbeat.rssBytes);
  const free = asNumber(worker?.heartbeat.freeMemoryBytes);
  return {
    verdict: judgeMemory(worker !== undefined, kills.length, used),
    columns: [
      { name: "at", kind: "instant" },
      { name: "event", kind: "mono" },
      { name: "memoryUsed", kind: "share" },
      { name: "rss", kind: "bytes" },
      { name: "freeMemory", kind: "bytes" },
    ],
    rows: [
      ...(worker ? [[worker.seenAt.getTime(), null, used, rss, free]] : []),
      ...kills.slice(0, MOST_ROWS).map(({ atMs, code }) => [atMs, code, null, null, null]),
    ],
  };
}

export const readKills = async (tx: Tx, projectId: string, workerId: string) => [
  ...(await tx.execute<{ atMs: number; code: string }>(sql`
    select (extract(epoch from k.at) * 1000)::float8 as "atMs", k.code from (
      select e.at, e.code, e.project_id from error_events e
      where e.worker_id = ${workerId} and e.at > now() - interval '1 day' and ${recentRunsOnly(sql.raw("e.run_id"))}
      order by e.at desc limit ${MOST_OF_EACH}
    ) k where k.project_id = ${projectId}::uuid and k.code ~ '._OOM_.' order by k.at desc
  `)),
];

const BREAKER_CODES = [
  "APOLLO_BREAKER_OPENED_503",
  "APOLLO_BREAKER_PROBE_FAILED_503",
  "APOLLO_BREAKER_RESTORED_200",
  "APOLLO_WORKER_HELD_423",
];

/** How often it was taken out in the last week, and how often its process has come up anew. Index: platform_events_code. */
export async function workerTrips({ tx, workerId }: WorkerScene): Promise<Finding> {
  const worker = await findWorker(tx, workerId);
  const events = await readTrips(tx, workerId);
  const opened = events.filter(({ code }) => code === BREAKER_CODES[0]).length;
  return {
    verdict: judgeTrips(worker !== undefined, opened),
    columns: [
      { name: "at", kind: "instant" },
      { name: "event", kind: "mono" },
      { name: "startedAt", kind: "instant" },
      { name: "registered", kind: "count" },
    ],
    rows: [
      ...(worker ? [[worker.seenAt.getTime(), null, worker.startedAt.getTime(), worker.epoch]] : []),
      ...events.slice(0, MOST_ROWS).map(({ atMs, code }) => [atMs, code, null, null]),
    ],
  };
}

export const readTrips = async (tx: Tx, workerId: string) => [
  ...(await tx.execute<{ atMs: number; code: string }>(sql`
    select (extract(epoch from v.at) * 1000)::float8 as "atMs", v.code from unnest(${`{${BREAKER_CODES.join(",")}}`}::text[]) as c (code)
    cross join lateral (
      select p.at, p.code, p.data from platform_events p
      where p.code = c.code and p.at > now() - interval '7 days' and ${recentRunsOnly(sql.raw("p.id"))}
      order by p.at desc limit ${MOST_OF_EACH}
    ) v where v.data ->> 'workerId' = ${workerId} order by v.at desc limit 200
  `)),
];
