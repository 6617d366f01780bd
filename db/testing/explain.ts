import { type SQL, sql } from "drizzle-orm";
import type { Executor, Tx } from "../client";

interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly Plans?: readonly PlanNode[];
}

export interface Scan {
  readonly type: string;
  readonly relation: string;
  readonly index: string | null;
}

/** The statements that `call` sends, without running any of them. */
async function statementsOf(call: (db: Tx) => Promise<unknown>): Promise<SQL[]> {
  const sent: SQL[] = [];
  const ear = {
    execute: (query: SQL) => {
      sent.push(query);
      return Promise.resolve([]);
    },
  };
  await call(ear as unknown as Tx).catch(() => undefined);
  return sent;
}

/** How Postgres would scan the tables of the statements that `call` sends. */
export async function scansOf(db: Executor, call: (db: Tx) => Promise<unknown>): Promise<Scan[]> {
  const scans: Scan[] = [];
  const visit = (plan: PlanNode) => {
    const relation = plan["Relation Name"];
    if (relation && plan["Node Type"] !== "ModifyTable")
      scans.push({ type: plan["Node Type"], relation, index: plan["Index Name"] ?? null });
    plan.Plans?.forEach(visit);
  };
  for (const statement of await statementsOf(call)) {
    const [row] = await db.execute<{ "QUERY PLAN": { Plan: PlanNode }[] }>(sql`explain (format json) ${statement}`);
    for (const { Plan } of row?.["QUERY PLAN"] ?? []) visit(Plan);
  }
  return scans;
}
