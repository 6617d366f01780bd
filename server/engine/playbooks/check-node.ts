import { sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { recentRunsOnly } from "@/db/statements/recent-runs";
import type { Finding } from "@/server/domain/playbooks/checks";
import { judgeAttempt, judgeHistory, judgeOutput, judgeUsual } from "@/server/domain/playbooks/judge";
import type { CheckedNode, CheckScene } from "./check-subject";

export interface NodeScene extends CheckScene {
  readonly node: CheckedNode;
}

const MOST_EVENTS = 30;
const MOST_CHUNKS = 5;
const LAST_RUNS = 200;

/** What moved the node, newest first. Index: the key of run_events. */
export async function nodeHistory({ tx, node, now }: NodeScene): Promise<Finding> {
  const events = await readHistory(tx, node);
  const starts = events.filter(({ to, generation }) => to === "RUNNING" && generation === node.generation).length;
  return {
    verdict: judgeHistory({ state: node.state, now }, starts),
    columns: [
      { name: "at", kind: "instant" },
      { name: "event", kind: "mono" },
      { name: "from", kind: "mono" },
      { name: "to", kind: "mono" },
      { name: "actor", kind: "text" },
      { name: "cause", kind: "text" },
    ],
    rows: events.map((event) => [event.atMs, event.event, event.from, event.to, event.actor, event.cause]),
  };
}

type HistoryRow = {
  readonly atMs: number;
  readonly event: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly generation: number | null;
  readonly actor: string | null;
  readonly cause: string;
};

export const readHistory = async (tx: Tx, { runId, nodeKey }: Pick<CheckedNode, "runId" | "nodeKey">): Promise<HistoryRow[]> => [
  ...(await tx.execute<HistoryRow>(sql`
    select (extract(epoch from v.at) * 1000)::float8 as "atMs", v.event, v.from_state as "from", v.to_state as "to", v.generation,
      v.actor ->> 'label' as actor, left(v.cause, 200) as cause
    from run_events v where v.run_id = ${runId}::uuid and v.node_key = ${nodeKey} order by v.id desc limit ${MOST_EVENTS}
  `)),
];

type HostRow = {
  readonly worker: string | null;
  readonly seenMs: number | null;
  readonly leaseMs: number | null;
  readonly isThere: boolean;
  readonly limitMs: number | null;
  readonly startedMs: number | null;
  readonly load: number | null;
  readonly cores: number | null;
  readonly memoryUsed: number | null;
  readonly loopLag: number | null;
};

/** Who works on it, and whether that process is still there and has room. Index: the keys of node_runs and workers. */
export async function nodeAttempt({ tx, node, now }: NodeScene): Promise<Finding> {
  const host = await readHost(tx, node);
  const facts = host?.worker
    ? {
        worker: host.worker,
        isThere: host.isThere,
        limitEnds: host.limitMs === null ? null : new Date(host.limitMs),
        load: host.load,
        cores: host.cores,
      }
    : null;
  return {
    verdict: judgeAttempt({ state: node.state, now }, facts),
    columns: [
      { name: "worker", kind: "mono" },
      { name: "startedAt", kind: "instant" },
      { name: "seenAt", kind: "instant" },
      { name: "leaseUntil", kind: "instant" },
      { name: "limitEnds", kind: "instant" },
      { name: "load", kind: "decimal" },
      { name: "cores", kind: "count" },
      { name: "memoryUsed", kind: "share" },
      { name: "loopLag", kind: "span" },
    ],
    rows: facts
      ? [
          [
            ...[facts.worker, host?.startedMs ?? null, host?.seenMs ?? null, host?.leaseMs ?? null, host?.limitMs ?? null],
            ...[facts.load, facts.cores, host?.memoryUsed ?? null, host?.loopLag ?? null],
          ],
        ]
      : [],
  };
}

const number = (path: ReturnType<typeof sql.raw>) => sql`case when jsonb_typeof(${path}) = 'number' then (${path})::float8 end`;

async function readHost(tx: Tx, { runId, nodeKey, workerId }: CheckedNode): Promise<HostRow | undefined> {
  const [row] = await tx.execute<HostRow>(sql`
    select ${workerId}::text as worker, (extract(epoch from w.seen_at) * 1000)::float8 as "seenMs",
      (extract(epoch from w.expires_at) * 1000)::float8 as "leaseMs",
      coalesce(w.expires_at > clock_timestamp() and w.boot_id = n.worker_boot, false) as "isThere",
      (extract(epoch from n.timeout_at) * 1000)::float8 as "limitMs", (extract(epoch from n.started_at) * 1000)::float8 as "startedMs",
      ${number(sql.raw("w.heartbeat -> 'load'"))} as load, ${number(sql.raw("w.fingerprint -> 'cores'"))} as cores,
      ${number(sql.raw("w.heartbeat -> 'memoryUsed'"))} as "memoryUsed", ${number(sql.raw("w.heartbeat -> 'loopLagMs'"))} as "loopLag"
    from node_runs n left join workers w on w.id = ${workerId}::text
    where n.run_id = ${runId}::uuid and n.key = ${nodeKey}
  `);
  return row;
}

/** Whether it still writes: the newest lines of this attempt. Index: the key of log_chunks. */
export async function nodeOutput({ tx, node, now }: NodeScene): Promise<Finding> {
  const chunks = await tx.execute<{ atMs: number; bytes: number; line: string | null }>(sql`
    select (extract(epoch from l.at) * 1000)::float8 as "atMs", l.bytes, left(l.lines -> -1 ->> 'text', 200) as line
    from log_chunks l
    where l.run_id = ${node.runId}::uuid and l.node_key = ${node.nodeKey} and l.generation = ${node.generation} and l.attempt_no = ${node.attemptNo}
    order by l.chunk desc limit ${MOST_CHUNKS}
  `);
  const [newest] = chunks;
  return {
    verdict: judgeOutput({ state: node.state, now }, newest ? new Date(newest.atMs) : null),
    columns: [
      { name: "at", kind: "instant" },
      { name: "bytes", kind: "bytes" },
      { name: "lastLine", kind: "mono" },
    ],
    rows: chunks.map(({ atMs, bytes, line }) => [atMs, bytes, line]),
  };
}

type UsualRow = {
  readonly counted: number;
  readonly p50: number | null;
  readonly p95: number | null;
};

/** How long it runs now, and how long it did in the last runs of the pipeline in which it went well. */
export async function nodeUsual({ tx, node, now }: NodeScene): Promise<Finding> {
  const usual = await readUsual(tx, node);
  const [running] = await tx.execute<{ startedMs: number | null }>(sql`
    select (extract(epoch from a.dispatched_at) * 1000)::float8 as "startedMs" from attempts a
    where a.run_id = ${node.runId}::uuid and a.node_key = ${node.nodeKey} and a.generation = ${node.generation} and a.no = ${node.attemptNo}
  `);
  const runsForMs = running?.startedMs == null || node.state !== "RUNNING" ? null : Math.max(0, now.getTime() - running.startedMs);
  return {
    verdict: judgeUsual({ state: node.state, now }, { runsForMs, counted: usual.counted, p95Ms: usual.p95 }),
    columns: [
      { name: "runsFor", kind: "span" },
      { name: "p50", kind: "span" },
      { name: "p95", kind: "span" },
      { name: "counted", kind: "count" },
    ],
    rows: [[runsForMs, usual.p50, usual.p95, usual.counted]],
  };
}

/** Index: runs_pipeline, and the key of attempts. */
export async function readUsual(tx: Tx, { pipelineId, nodeKey }: Pick<CheckedNode, "pipelineId" | "nodeKey">): Promise<UsualRow> {
  const [row] = await tx.execute<UsualRow>(sql`
    with lately as materialized (
      select r.id from runs r where r.pipeline_id = ${pipelineId}::uuid and ${recentRunsOnly(sql.raw("r.id"))}
      order by r.id desc limit ${LAST_RUNS}
    ), spans as (
      select extract(epoch from a.committed_at - a.dispatched_at) * 1000 as ms from lately l
      cross join lateral (
        select committed_at, dispatched_at from attempts a
        where a.run_id = l.id and ${recentRunsOnly(sql.raw("a.run_id"))} and a.node_key = ${nodeKey} and a.outcome = 'succeeded'
      ) a
    )
    select count(*)::integer as counted, (percentile_cont(0.5) within group (order by ms))::float8 as p50,
      (percentile_cont(0.95) within group (order by ms))::float8 as p95
    from spans
  `);
  return row ?? { counted: 0, p50: null, p95: null };
}
