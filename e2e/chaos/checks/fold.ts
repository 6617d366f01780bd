import type postgres from "postgres";
import { type FoldEvent, foldEvents } from "@/server/domain/run/fold";
import type { Scope } from "./scope";

interface NodeRow {
  readonly run_id: string;
  readonly key: string;
  readonly state: string;
  readonly generation: number;
  readonly attempt_no: number;
  readonly attempts: number;
  readonly token: number;
}

interface EventRow {
  readonly run_id: string;
  readonly event: string;
  readonly node_key: string | null;
  readonly generation: number | null;
  readonly attempt_no: number | null;
  readonly to_state: string | null;
  readonly data: Record<string, unknown>;
}

/** Runs whose rows are not what their history says (RUN-9). */
export async function foldViolations(tx: postgres.TransactionSql, { since, until }: Scope): Promise<readonly unknown[]> {
  const runs = await tx<{ id: string; state: string }[]>`
    select id, state from runs where created_at >= ${since} and created_at <= ${until}`;
  const nodes = grouped(
    await tx<NodeRow[]>`
      select n.run_id, n.key, n.state, n.generation, n.attempt_no, n.attempts, n.token from node_runs n join runs r on r.id = n.run_id
      where r.created_at >= ${since} and r.created_at <= ${until}`,
  );
  const events = grouped(
    await tx<EventRow[]>`
      select e.run_id, e.event, e.node_key, e.generation, e.attempt_no, e.to_state, e.data from run_events e join runs r on r.id = e.run_id
      where r.created_at >= ${since} and r.created_at <= ${until} order by e.id`,
  );
  return runs.flatMap((run) => foldedOtherwise(run, nodes.get(run.id) ?? [], events.get(run.id) ?? []));
}

function foldedOtherwise(run: { id: string; state: string }, nodes: readonly NodeRow[], events: readonly EventRow[]): unknown[] {
  const folded = foldEvents(
    nodes.map(({ key }) => key),
    events.map(toFoldEvent),
  );
  const wrong: unknown[] = [];
  if (folded.state !== null && folded.state !== run.state) wrong.push({ run: run.id, row: run.state, folded: folded.state });
  for (const row of nodes) {
    const { state, generation, attemptNo, attempts, token } = folded.nodes.get(row.key) ?? {};
    const told = { state, generation, attemptNo, attempts, token };
    const kept = { state: row.state, generation: row.generation, attemptNo: row.attempt_no, attempts: row.attempts, token: row.token };
    if (JSON.stringify(told) !== JSON.stringify(kept)) wrong.push({ run: run.id, node: row.key, row: kept, folded: told });
  }
  return wrong;
}

const toFoldEvent = (row: EventRow): FoldEvent => ({
  event: row.event,
  nodeKey: row.node_key,
  generation: row.generation,
  attemptNo: row.attempt_no,
  to: row.to_state,
  data: row.data,
});

function grouped<Row extends { readonly run_id: string }>(rows: readonly Row[]): ReadonlyMap<string, readonly Row[]> {
  const byRun = new Map<string, Row[]>();
  for (const row of rows) {
    const known = byRun.get(row.run_id);
    if (known) known.push(row);
    else byRun.set(row.run_id, [row]);
  }
  return byRun;
}
