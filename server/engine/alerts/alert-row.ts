import type { alerts } from "@/db/schema/alerts";
import type { Grade } from "@/server/domain/alert/grade";
import type { AlertKind, OpenAlert, Suppressor, SuppressorKind } from "@/server/domain/alert/model";

export type AlertRow = typeof alerts.$inferSelect;
type Stored = NonNullable<AlertRow["suppressed"]>;

/** A row as the pipeline reads it. */
export const openAlertOf = (row: AlertRow): OpenAlert => ({
  id: row.id,
  no: row.no,
  key: row.key,
  kind: row.kind as AlertKind,
  code: row.code,
  grade: row.grade as Grade,
  count: row.count,
  firstAt: row.firstAt,
  lastAt: row.lastAt,
  sentAt: row.sentAt,
  heldBy: heldByOf(row.suppressed),
  parts: Object.fromEntries(
    Object.entries(row.parts ?? {}).map(([code, { from, to }]) => [code, { from: new Date(from), to: new Date(to) }]),
  ),
  acknowledgedBy: row.acknowledgedBy,
  pipelineId: row.pipelineId,
});

export const heldByOf = (stored: AlertRow["suppressed"]): readonly Suppressor[] =>
  stored === null ? [] : [stored, ...(stored.also ?? [])].map(suppressorOf);

export const suppressorOf = ({ kind, ref, data, until }: Stored): Suppressor => ({
  ...{ kind: kind as SuppressorKind, ref, data },
  until: until === null ? null : new Date(until),
});

export const storedSuppressor = ({ kind, ref, data, until }: Suppressor) => ({ kind, ref, data, until: until?.toISOString() ?? null });

/** The first of them, with the others. */
export function storedHeldBy(heldBy: readonly Suppressor[]): Stored | null {
  const [first, ...also] = heldBy.map(storedSuppressor);
  return first ? { ...first, ...(also.length > 0 ? { also } : {}) } : null;
}
