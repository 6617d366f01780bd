import type postgres from "postgres";
import { verifyAudit } from "@/server/engine/audit/verify-audit";
import type { Submission } from "../rig/load";
import type { Call } from "../rig/receiver";
import type { Rig } from "../rig/rig";
import { foldViolations } from "./fold";
import type { Scope } from "./scope";
import { STATEMENTS } from "./statements";

export interface Violation {
  readonly id: string;
  readonly title: string;
  readonly evidence: readonly unknown[];
}

export interface Tally {
  readonly runs: number;
  readonly nodes: number;
  readonly fires: number;
  readonly waitingForPerson: number;
  readonly calls: number;
  readonly maybeRepeated: number;
  readonly late: number;
}

export interface Checked {
  readonly violations: readonly Violation[];
  readonly tally: Tally;
}

type Tx = postgres.TransactionSql;

const SHOWN = 5;

/** Reads the final tables and the receiver's log, all in one snapshot, and names each invariant that does not hold. */
export async function check(rig: Rig, scope: Scope): Promise<Checked> {
  const found: Violation[] = [];
  const report = (id: string, title: string, evidence: readonly unknown[]) => {
    if (evidence.length > 0) found.push({ id, title, evidence: evidence.slice(0, SHOWN) });
  };
  // What came in before the snapshot: each call was preceded by the commit that explains it.
  const calls = [...rig.receiver.calls];
  const tally = await rig.sql.begin("isolation level repeatable read read only", async (tx) => {
    for (const { id, title, text } of STATEMENTS) report(id, title, await tx.unsafe(text, [scope.since, scope.until]));
    report("I0", "lost 0: each run that was accepted is there, and one key is one run", await lost(tx, rig.load.submissions));
    report("I21", "a start by the API has exactly one audit row", await unaudited(tx, scope));
    report("I23", "a receiver that honours keys saw one key a node and generation, the execution's own", await foreignKeys(tx, calls));
    report("I23b", "a call that took effect twice is marked maybe_repeated, and one attempt calls once", await unmarked(tx, calls));
    report("I23c", "nothing reaches the receiver that no attempt explains", await unexplained(tx, calls));
    report("I32", "each result that was accepted has its effect at the receiver", await withoutEffect(tx, scope, rig));
    report("I33", "the fold of the history equals the rows", await foldViolations(tx, scope));
    return tallyOf(tx, scope, calls.length);
  });
  const verdict = await verifyAudit(rig.ctx(), { projectId: rig.projectId });
  if (verdict.kind === "broken") report("I21b", "the audit chain is whole", [verdict]);
  report("P18", "no process ends by itself", rig.ownEnds());
  return { violations: found, tally };
}

/** Accepted and not there, or there twice. */
async function lost(tx: Tx, submissions: readonly Submission[]): Promise<readonly unknown[]> {
  const answered = submissions.filter(({ runId }) => runId !== null);
  const ids = answered.map(({ runId }) => runId);
  const missing = await tx`
    select id from unnest(${ids as string[]}::uuid[]) as asked (id) where not exists (select from runs r where r.id = asked.id) limit ${SHOWN}`;
  const twice = await tx`
    select key, run_id, asked.id from unnest(${answered.map(({ key }) => key)}::text[], ${ids as string[]}::uuid[]) as asked (key, id)
    left join run_requests q using (key) where q.run_id is distinct from asked.id limit ${SHOWN}`;
  const unanswered = submissions.filter(({ runId }) => runId === null).map(({ key, tries }) => ({ key, tries, unanswered: true }));
  return [...missing, ...twice, ...unanswered];
}

const unaudited = (tx: Tx, { since, until }: Scope) => tx`
  select r.id, r.trigger_kind, count(a.id) as rows from runs r left join audit a on a.object_id = r.id::text and a.verb = 'run.trigger'
  where r.trigger_kind = 'api' and r.created_at >= ${since} and r.created_at <= ${until}
  group by r.id, r.trigger_kind having count(a.id) <> 1 limit ${SHOWN}`;

/** A second key for the same node of a run, in one generation, would be a second effect at a receiver that honours keys. */
async function foreignKeys(tx: Tx, calls: readonly Call[]): Promise<readonly unknown[]> {
  const keys = [...new Map(calls.map((call) => [`${call.run}/${call.node}/${call.key}`, call])).values()];
  return tx`
    select c.run, c.node, c.key from unnest(${keys.map(({ run }) => run)}::uuid[], ${keys.map(({ node }) => node)}::text[],
      ${keys.map(({ key }) => key)}::uuid[]) as c (run, node, key)
    left join executions e on e.execution_id = c.key
    left join node_runs n on n.run_id = c.run and n.key = c.node
    where e.run_id is distinct from c.run or e.node_key is distinct from c.node
      or (n.generation = 1 and n.execution_id <> c.key) limit ${SHOWN}`;
}

/** What a receiver that ignores keys would have done twice must be told: only attempts whose fate is unknown may do that. */
async function unmarked(tx: Tx, calls: readonly Call[]): Promise<readonly unknown[]> {
  const byKey = new Map<string, Call[]>();
  for (const call of calls) byKey.set(call.key, [...(byKey.get(call.key) ?? []), call]);
  const twice = [...byKey.values()].filter((of) => of.filter(({ accepted }) => accepted).length > 1);
  const keys = twice.flatMap(([first]) => (first ? [first.key] : []));
  const silent = await tx`
    select n.run_id, n.key, n.execution_id, n.attempts from node_runs n
    where n.execution_id = any (${keys}::uuid[]) and not n.maybe_repeated limit ${SHOWN}`;
  const sameAttempt = [...byKey.values()].filter((of) => new Set(of.map(({ token }) => token)).size < of.length);
  return [...silent, ...sameAttempt.slice(0, SHOWN).map((of) => of.map(({ run, node, token }) => ({ run, node, token })))];
}

/** Each call names an attempt that was registered before. */
async function unexplained(tx: Tx, calls: readonly Call[]): Promise<readonly unknown[]> {
  return tx`
    select c.run, c.node, c.token from unnest(${calls.map(({ run }) => run)}::uuid[], ${calls.map(({ node }) => node)}::text[],
      ${calls.map(({ token }) => token)}::int[]) as c (run, node, token)
    where not exists (select from attempts a where a.run_id = c.run and a.node_key = c.node and a.token = c.token) limit ${SHOWN}`;
}

/** Nodes that call the receiver and succeeded without its having been called. */
async function withoutEffect(tx: Tx, { since, until }: Scope, rig: Rig): Promise<readonly unknown[]> {
  const rows = await tx<{ run_id: string; key: string; execution_id: string }[]>`
    select n.run_id, n.key, n.execution_id from node_runs n join runs r on r.id = n.run_id
    join executions e on e.execution_id = n.execution_id
    where r.created_at >= ${since} and r.created_at <= ${until} and n.state = 'SUCCESS' and e.completed_by = 'worker'
      and (e.result ? 'repeated')`;
  return rows.filter(({ execution_id: key }) => !rig.receiver.callsOf(key).some(({ accepted }) => accepted)).slice(0, SHOWN);
}

async function tallyOf(tx: Tx, { since, until }: Scope, calls: number): Promise<Tally> {
  const [row] = await tx<Omit<Tally, "calls">[]>`
    with scope as (select * from runs where created_at >= ${since} and created_at <= ${until})
    select (select count(*)::int from scope) as runs,
      (select count(*)::int from node_runs n join scope r on r.id = n.run_id) as nodes,
      (select count(*)::int from fires where created_at >= ${since} and created_at <= ${until}) as fires,
      (select count(*)::int from scope where state = 'PAUSED') as "waitingForPerson",
      (select count(*)::int from node_runs n join scope r on r.id = n.run_id where n.maybe_repeated) as "maybeRepeated",
      (select count(*)::int from run_events e join scope r on r.id = e.run_id where e.event like 'late.%') as late`;
  if (!row) throw new Error("a count gave nothing");
  return { ...row, calls };
}
