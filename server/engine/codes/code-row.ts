import { and, asc, eq } from "drizzle-orm";
import type { Executor, Tx } from "@/db/client";
import { projects } from "@/db/schema/access";
import { codeApprovals, errorCodes } from "@/db/schema/codes";
import type { Grade } from "@/server/domain/alert/grade";
import { type CodeFacts, type CodeState, DEFAULT_REVIEWERS, reviewersSchema } from "@/server/domain/codes/definition";
import { DomainError } from "@/server/domain/failure";
import type { Actor } from "@/server/domain/run/model";

export type CodeRow = typeof errorCodes.$inferSelect;

export interface Approval {
  readonly userId: string;
  readonly label: string;
  readonly at: Date;
}

export interface CodeView extends CodeFacts {
  readonly id: string;
  readonly projectId: string;
  readonly code: string;
  readonly state: CodeState;
  readonly revision: number;
  readonly proposedBy: Actor;
  readonly proposedAt: Date;
  readonly registeredAt: Date | null;
  readonly deprecatedAt: Date | null;
  readonly deprecatedWhy: string | null;
}

export const factsOf = (row: CodeRow): CodeFacts => ({
  titleEn: row.titleEn,
  titleZh: row.titleZh,
  meaningEn: row.meaningEn,
  meaningZh: row.meaningZh,
  owner: row.owner,
  grade: row.grade as Grade,
  impact: row.impact,
  slaMinutes: row.slaMinutes,
  retry: row.retry,
  playbook: row.playbook,
});

export const codeView = (row: CodeRow): CodeView => ({
  ...factsOf(row),
  id: row.id,
  projectId: row.projectId,
  code: row.code,
  state: row.state as CodeState,
  revision: row.revision,
  proposedBy: row.proposedBy as Actor,
  proposedAt: row.proposedAt,
  registeredAt: row.registeredAt,
  deprecatedAt: row.deprecatedAt,
  deprecatedWhy: row.deprecatedWhy,
});

export const auditedCode = (row: Pick<CodeRow, "id" | "code">) => ({ kind: "code", id: row.id, label: row.code });

export async function findCodeRow(db: Executor, projectId: string, code: string): Promise<CodeRow> {
  const [row] = await db
    .select()
    .from(errorCodes)
    .where(and(eq(errorCodes.projectId, projectId), eq(errorCodes.code, code)));
  if (!row) throw codeNotFound(code);
  return row;
}

/** The same, locked until the commit: two who decide on a code take turns. */
export async function lockCode(tx: Tx, projectId: string, code: string): Promise<CodeRow> {
  const [row] = await tx
    .select()
    .from(errorCodes)
    .where(and(eq(errorCodes.projectId, projectId), eq(errorCodes.code, code)))
    .for("update");
  if (!row) throw codeNotFound(code);
  return row;
}

export const codeNotFound = (code: string) =>
  new DomainError("not_found", `there is no code ${code} in this project's register; propose it, or look at the list`, {
    details: { code },
  });

export const codeIsStale = (row: CodeRow, what: string) =>
  new DomainError("stale", `${row.code} was changed meanwhile: ${what}. Look at it again.`, {
    details: { code: row.code, revision: row.revision, state: row.state },
  });

/** Of the current wording, in order. */
export async function approvalsOf(db: Executor, { id, revision }: Pick<CodeRow, "id" | "revision">): Promise<Approval[]> {
  return db
    .select({ userId: codeApprovals.userId, label: codeApprovals.label, at: codeApprovals.at })
    .from(codeApprovals)
    .where(and(eq(codeApprovals.codeId, id), eq(codeApprovals.revision, revision)))
    .orderBy(asc(codeApprovals.at), asc(codeApprovals.userId));
}

/** How many others must approve a proposal in this project. */
export async function reviewersNeeded(db: Executor, projectId: string): Promise<number> {
  const [row] = await db.select({ settings: projects.settings }).from(projects).where(eq(projects.id, projectId));
  const set = reviewersSchema.safeParse(row?.settings.codeReviewers);
  return set.success ? set.data : DEFAULT_REVIEWERS;
}
