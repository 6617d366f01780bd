import { and, eq, isNull, or, type SQL, sql } from "drizzle-orm";
import type { Executor, Tx } from "@/db/client";
import { pipelines } from "@/db/schema/pipelines";
import { valveHolds, valves } from "@/db/schema/valves";
import { DomainError } from "@/server/domain/failure";
import type { Valve, ValveKind, ValveState } from "@/server/domain/valve/valve";

export type ValveRow = typeof valves.$inferSelect;

/** The row as the domain sees it. */
export const valveOf = (row: ValveRow): Valve => ({
  state: row.state as ValveState,
  rate: row.rate,
  releasingSince: row.releasingSince,
  releasedAtRate: row.releasedAtRate,
  deferring: row.deferring,
});

export interface ValveView {
  readonly no: number;
  readonly kind: ValveKind;
  readonly pipeline: { readonly id: string; readonly name: string } | null;
  readonly target: string;
  /** In words: what it stops. */
  readonly label: string;
  readonly state: ValveState;
  readonly reason: string;
  /** The engine closed it by the task's bound, and lets it go when the task works again (EXC-10). */
  readonly deferring: boolean;
  readonly by: string;
  readonly since: Date;
  readonly endedAt: Date | null;
  /** Nodes that it holds now. */
  readonly held: number;
  readonly released: number;
  readonly purged: number;
  /** Nodes a minute, while it is being released. */
  readonly rate: number | null;
  readonly revision: number;
}

const held = sql<number>`(select count(*)::integer from ${valveHolds} h where h.valve_no = ${valves.no})`;

/** Valves of a project, and those of groups, which are everybody's. Index of the count: valve_holds_order. */
export const selectValves = (db: Executor) =>
  db
    .select({ row: valves, held, pipeline: { id: pipelines.id, name: pipelines.name } })
    .from(valves)
    .leftJoin(pipelines, eq(pipelines.id, valves.pipelineId));

export const ofProject = (projectId: string): SQL | undefined => or(eq(valves.projectId, projectId), isNull(valves.projectId));

export const valveView = ({
  row,
  held,
  pipeline,
}: {
  readonly row: ValveRow;
  readonly held: number;
  readonly pipeline: ValveView["pipeline"];
}): ValveView => ({
  no: row.no,
  kind: row.kind as ValveKind,
  pipeline,
  target: row.target,
  label: row.label,
  state: row.state as ValveState,
  reason: row.reason,
  deferring: row.deferring,
  by: row.closedBy.label,
  since: row.closedAt,
  endedAt: row.endedAt,
  held,
  released: row.released,
  purged: row.purged,
  rate: row.rate,
  revision: row.revision,
});

export async function loadValveView(db: Executor, no: number): Promise<ValveView> {
  const [found] = await selectValves(db).where(eq(valves.no, no));
  if (!found) throw valveNotFound(no);
  return valveView(found);
}

/** Locked, so that those who move it are in order. */
export async function lockValve(tx: Tx, no: number): Promise<ValveRow | null> {
  const [row] = await tx
    .select()
    .from(valves)
    .where(and(eq(valves.no, no)))
    .for("no key update");
  return row ?? null;
}

export const valveNotFound = (no: number) =>
  new DomainError("not_found", `there is no valve #${no}, or you have no role in its project`, { details: { no } });
