import type { Grade } from "@/server/domain/alert/grade";
import type { AlertKind, Suppressor } from "@/server/domain/alert/model";
import type { Check } from "@/server/domain/alert/silence-alarm";
import { DomainError } from "@/server/domain/failure";
import { type AlertRow, heldByOf } from "./alert-row";

export interface AlertView {
  readonly id: string;
  readonly projectId: string;
  readonly no: number;
  readonly kind: AlertKind;
  readonly grade: Grade;
  readonly code: string;
  readonly message: string;
  readonly label: string;
  readonly pipelineId: string | null;
  readonly runId: string | null;
  readonly nodeKey: string | null;
  readonly owner: string | null;
  readonly ruleId: string | null;
  readonly actionRequired: { readonly action: string; readonly target: string } | null;
  readonly count: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
  readonly sentAt: Date | null;
  /** By what it is kept from people; null once they were told. */
  readonly suppressed: Suppressor | null;
  /** All that does. */
  readonly heldBy: readonly Suppressor[];
  /** Whoever acts on it says which revision was looked at. */
  readonly revision: number;
  readonly acknowledged: { readonly at: Date; readonly by: string } | null;
  readonly resolved: {
    readonly at: Date;
    readonly as: "person" | "itself";
    readonly by: string | null;
    readonly reason: string | null;
  } | null;
  readonly checks: readonly Check[];
}

export const alertView = (row: AlertRow): AlertView => ({
  ...{ id: row.id, projectId: row.projectId, no: row.no, kind: row.kind as AlertKind, grade: row.grade as Grade, code: row.code },
  ...{ message: row.message, label: row.label, pipelineId: row.pipelineId, runId: row.runId, nodeKey: row.nodeKey, owner: row.owner },
  ...{
    ruleId: row.ruleId,
    actionRequired: row.actionRequired,
    count: row.count,
    firstAt: row.firstAt,
    lastAt: row.lastAt,
    sentAt: row.sentAt,
  },
  suppressed: heldByOf(row.suppressed)[0] ?? null,
  heldBy: heldByOf(row.suppressed),
  revision: row.revision,
  acknowledged: row.acknowledgedAt && { at: row.acknowledgedAt, by: row.acknowledgedBy ?? "" },
  resolved: row.resolvedAt && {
    ...{ at: row.resolvedAt, as: row.resolvedAs as "person" | "itself", by: row.resolvedBy, reason: row.resolvedReason },
  },
  checks: (row.checks ?? []) as readonly Check[],
});

export const alertNotFound = (id: string) =>
  new DomainError("not_found", `there is no alert ${id}, or you have no role in its project`, { details: { id } });
