import { type SQL, sql } from "drizzle-orm";

/** The task of a node `x.v` of a definition, as `valve_task()` names it: what a handler is registered as, else the node's type. */
export const taskOfNode: SQL = sql`case when x.v ->> 'type' = 'handler' then x.v #>> '{with,task}' else x.v ->> 'type' end`;
