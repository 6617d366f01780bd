import { fillPlaceholders, type Query, type SQL } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import type { Sql, Tx } from "../client";

interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
  readonly Plans?: readonly PlanNode[];
}

export interface Scan {
  readonly type: string;
  readonly relation: string;
  readonly index: string | null;
  /** What bounds the walk through the index; null where it is walked from end to end. */
  readonly bound: string | null;
}

const dialect = new PgDialect();

/** The statements that `call` sends, without running any of them. */
async function statementsOf(call: (db: Tx) => Promise<unknown>): Promise<Query[]> {
  const sent: Query[] = [];
  const ear = {
    execute: (statement: SQL) => {
      sent.push(dialect.sqlToQuery(statement));
      return Promise.resolve([]);
    },
    session: {
      prepareQuery: (query: Query) => ({
        execute: (values: Record<string, unknown>) => {
          sent.push({ ...query, params: fillPlaceholders(query.params, values) });
          return Promise.resolve([]);
        },
      }),
    },
  };
  await call(ear as unknown as Tx).catch(() => undefined);
  return sent;
}

interface Explained {
  readonly "QUERY PLAN": readonly { readonly Plan: PlanNode }[];
}

/** Its plan for the values that it has, and the plan for any values, which the engine's connections keep (PLANNED_ONCE). */
async function plansOf(sql: Sql, query: Query): Promise<PlanNode[]> {
  const asked = [
    await sql.unsafe<Explained[]>(`explain (format json) ${query.sql}`, query.params as string[]),
    await sql.unsafe<Explained[]>(`explain (format json, generic_plan) ${query.sql}`),
  ];
  return asked.flatMap(([row]) => row?.["QUERY PLAN"].map(({ Plan }) => Plan) ?? []);
}

/** How Postgres would scan the tables of the statements that `call` sends. */
export async function scansOf(sql: Sql, call: (db: Tx) => Promise<unknown>): Promise<Scan[]> {
  const scans: Scan[] = [];
  const visit = (plan: PlanNode) => {
    const relation = plan["Relation Name"];
    if (relation && plan["Node Type"] !== "ModifyTable")
      scans.push({ type: plan["Node Type"], relation, index: plan["Index Name"] ?? null, bound: plan["Index Cond"] ?? null });
    plan.Plans?.forEach(visit);
  };
  for (const statement of await statementsOf(call)) for (const plan of await plansOf(sql, statement)) visit(plan);
  return scans;
}
