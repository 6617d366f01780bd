import { type SQL, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { recentRunsOnly } from "@/db/statements/recent-runs";
import type { Finding } from "@/server/domain/playbooks/checks";
import { judgeChanges, judgeKeys, judgePlaces, judgeRate, judgeStacks } from "@/server/domain/playbooks/judge";
import { mappedCodes, shownEvents } from "@/server/engine/codes/mapping";
import { countLiveWorkers } from "@/server/engine/workers/list-workers";
import type { CheckScene } from "./check-subject";

export interface CodeScene extends CheckScene {
  readonly code: string;
}

/** Of a storm the newest so many are looked at. */
const MOST_EVENTS = 5_000;
const MOST_GROUPS = 10;
const MOST_CHANGES = 500;
const RATE_STEP = 5;

/** The events of a code as the screens show them, newest first, at most so many. Index: error_events_code. */
const eventsOf = async (tx: Tx, projectId: string, code: string, hours: number): Promise<SQL> =>
  newestEvents(shownEvents(projectId, [code], await mappedCodes(tx, projectId)), code, hours);

export const newestEvents = (events: SQL, code: string, hours: number): SQL => sql`(
    select e.* from ${events} where e.shown = ${code} and e.at > now() - make_interval(hours => ${hours})
      and ${recentRunsOnly(sql.raw("e.run_id"))}
    order by e.at desc limit ${MOST_EVENTS}
  )`;

/** How many came in the last hour, minute by minute; shown in steps of five. */
export async function codeRate({ tx, projectId, code, now }: CodeScene): Promise<Finding> {
  const events = await eventsOf(tx, projectId, code, 1);
  const found = await tx.execute<{ ago: number; events: number }>(sql`
    select floor(extract(epoch from ${now.toISOString()}::timestamptz - e.at) / 60)::integer as ago, count(*)::integer as events
    from ${events} e group by 1
  `);
  const minutes = Array.from({ length: 60 }, () => 0);
  for (const { ago, events: count } of found) {
    const at = 59 - Math.min(59, Math.max(0, ago));
    minutes[at] = (minutes[at] ?? 0) + count;
  }
  const steps = Array.from({ length: 60 / RATE_STEP }, (_, step) => step);
  return {
    verdict: judgeRate(minutes),
    columns: [
      { name: "since", kind: "instant" },
      { name: "events", kind: "count" },
    ],
    rows: steps
      .map((step) => {
        const from = now.getTime() - (60 - step * RATE_STEP) * 60_000;
        return [from, minutes.slice(step * RATE_STEP, (step + 1) * RATE_STEP).reduce((sum, count) => sum + count, 0)];
      })
      .reverse(),
  };
}

/** Whether it is one fault: by the hash of the stack, over the last day. */
export async function codeStacks({ tx, projectId, code }: CodeScene): Promise<Finding> {
  const events = await eventsOf(tx, projectId, code, 24);
  const found = await tx.execute<{ stack: string | null; events: number; share: number; lastMs: number; message: string }>(sql`
    select e.stack_hash as stack, count(*)::integer as events, (count(*) / sum(count(*)) over ())::float8 as share,
      (extract(epoch from max(e.at)) * 1000)::float8 as "lastMs", left((array_agg(e.message order by e.at desc))[1], 200) as message
    from ${events} e group by 1 order by events desc, 1 limit ${MOST_GROUPS}
  `);
  return {
    verdict: judgeStacks(found.map(({ stack, events: count }) => ({ name: stack, count }))),
    columns: [
      { name: "stack", kind: "mono" },
      { name: "events", kind: "count" },
      { name: "share", kind: "share" },
      { name: "lastAt", kind: "instant" },
      { name: "message", kind: "text" },
    ],
    rows: found.map(({ stack, events: count, share, lastMs, message }) => [stack?.slice(0, 12) ?? null, count, share, lastMs, message]),
  };
}

/** Which business keys they speak of, over the last day; what stands there has been masked before it was kept. */
export async function codeKeys({ tx, projectId, code }: CodeScene): Promise<Finding> {
  const events = await eventsOf(tx, projectId, code, 24);
  const found = await tx.execute<{ key: string | null; value: string | null; events: number; total: number }>(sql`
    with sample as materialized (select e.context from ${events} e)
    select p.key, left(p.value, 80) as value, count(p.key)::integer as events, (select count(*)::integer from sample) as total
    from (select 1) one left join (select k.key, k.value from sample, jsonb_each_text(sample.context) k) p on true
    group by 1, 2 order by events desc, 1, 2 limit ${MOST_GROUPS}
  `);
  const total = found[0]?.total ?? 0;
  const pairs = found.flatMap(({ key, value, events: count }) => (key === null ? [] : [{ key, value, count }]));
  return {
    verdict: judgeKeys(
      pairs.map(({ key, value, count }) => ({ name: `${key}=${value ?? ""}`, count })),
      total,
    ),
    columns: [
      { name: "key", kind: "mono" },
      { name: "value", kind: "mono" },
      { name: "events", kind: "count" },
      { name: "share", kind: "share" },
    ],
    rows: pairs.map(({ key, value, count }) => [key, value, count, total === 0 ? 0 : count / total]),
  };
}

/** On which workers and in which versions, over the last day. */
export async function codePlaces({ tx, projectId, code }: CodeScene): Promise<Finding> {
  const events = await eventsOf(tx, projectId, code, 24);
  const found = await tx.execute<{ worker: string | null; pipeline: string; version: number; events: number; lastMs: number }>(sql`
    with sample as materialized (select e.run_id, e.pipeline_id, e.worker_id, e.at from ${events} e)
    select s.worker_id as worker, p.title as pipeline, r.version_no as version, count(*)::integer as events,
      (extract(epoch from max(s.at)) * 1000)::float8 as "lastMs"
    from sample s join runs r on r.id = s.run_id join pipelines p on p.id = s.pipeline_id
    group by 1, 2, 3 order by events desc, 1, 2, 3 limit 50
  `);
  const count = (name: (row: (typeof found)[number]) => string | null) => {
    const counts = new Map<string | null, number>();
    for (const row of found) counts.set(name(row), (counts.get(name(row)) ?? 0) + row.events);
    return [...counts].map(([each, n]) => ({ name: each, count: n }));
  };
  return {
    verdict: judgePlaces({
      workers: count(({ worker }) => worker),
      versions: count(({ pipeline, version }) => `${pipeline} v${version}`),
      liveWorkers: await countLiveWorkers(tx),
    }),
    columns: [
      { name: "worker", kind: "mono" },
      { name: "pipeline", kind: "text" },
      { name: "version", kind: "count" },
      { name: "events", kind: "count" },
      { name: "lastAt", kind: "instant" },
    ],
    rows: found.map(({ worker, pipeline, version, events: n, lastMs }) => [worker, pipeline, version, n, lastMs]),
  };
}

type ChangeRow = {
  readonly firstMs: number | null;
  readonly atMs: number | null;
  readonly who: string;
  readonly verb: string;
  readonly object: string;
};

/** What people changed in the hour before the first one of the last day. Index: audit_project, read backwards and bounded. */
export async function codeChanges({ tx, projectId, code }: CodeScene): Promise<Finding> {
  const events = await eventsOf(tx, projectId, code, 24);
  const found = await tx.execute<ChangeRow>(sql`
    with first as materialized (select min(e.at) as at from ${events} e), lately as materialized (
      select u.at, u.actor_label, u.verb, u.object_label from audit u
      where u.project_id = ${projectId}::uuid and ${recentRunsOnly(sql.raw("u.id"))} order by u.seq desc limit ${MOST_CHANGES}
    )
    select (extract(epoch from first.at) * 1000)::float8 as "firstMs", (extract(epoch from u.at) * 1000)::float8 as "atMs",
      u.actor_label as who, u.verb, u.object_label as object
    from first left join lately u on u.at <= first.at and u.at > first.at - interval '1 hour'
    order by u.at desc nulls last limit 30
  `);
  const first = found[0]?.firstMs ?? null;
  const changes = found.filter(({ atMs }) => atMs !== null);
  return {
    verdict: judgeChanges(first === null ? null : new Date(first), changes.length),
    columns: [
      { name: "at", kind: "instant" },
      { name: "who", kind: "text" },
      { name: "verb", kind: "mono" },
      { name: "object", kind: "text" },
    ],
    rows: changes.map(({ atMs, who, verb, object }) => [atMs, who, verb, object]),
  };
}
