import { and, eq } from "drizzle-orm";
import type { Executor, Tx } from "@/db/client";
import { playbooks } from "@/db/schema/playbooks";
import { roleIn } from "@/server/domain/access/roles";
import { DomainError } from "@/server/domain/failure";
import { CHECKS, type CheckName } from "@/server/domain/playbooks/checks";
import { authorise, refuseAnonymous } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";

type PlaybookRow = typeof playbooks.$inferSelect;

export interface OwnPlaybook {
  readonly id: string;
  readonly title: string;
  readonly symptom: string;
  readonly pattern: string | null;
  readonly checks: readonly CheckName[];
  readonly meaning: string;
  readonly link: string | null;
  readonly revision: number;
  readonly savedBy: string;
  readonly savedAt: Date;
}

export const ownPlaybook = (row: PlaybookRow): OwnPlaybook => ({
  ...{ id: row.id, title: row.title, symptom: row.symptom, pattern: row.pattern, meaning: row.meaning, link: row.link },
  // A check that is no longer shipped is left out, rather than shown as one that cannot be made.
  checks: row.checks.filter((name): name is CheckName => Object.hasOwn(CHECKS, name)),
  ...{ revision: row.revision, savedBy: row.savedBy, savedAt: row.savedAt },
});

/** How it stood, for the audit. */
export const auditedPlaybook = ({ title, symptom, pattern, checks, meaning, link }: PlaybookRow) => ({
  ...{ title, symptom, pattern, checks, meaning, link },
});

/** One of a project that the caller may change, locked until the commit. */
export async function lockPlaybook(ctx: Ctx, tx: Tx, id: string, revision: number): Promise<PlaybookRow> {
  refuseAnonymous(ctx);
  const [row] = await tx.select().from(playbooks).where(eq(playbooks.id, id)).for("update");
  if (!row || roleIn(ctx.principal, row.projectId) === null) {
    throw new DomainError("not_found", `there is no playbook ${id}, or you have no role in its project`, { details: { id } });
  }
  authorise(ctx, row.projectId, "playbook.manage");
  if (row.revision === revision) return row;
  throw new DomainError("stale", `the playbook "${row.title}" was changed meanwhile by ${row.savedBy}; look at it again`, {
    details: { id, revision: row.revision, savedBy: row.savedBy, savedAt: row.savedAt.toISOString() },
  });
}

/** Two of one title could not be told apart in a list. */
export async function refuseSameTitle(db: Executor, projectId: string, title: string, ownId: string | null): Promise<void> {
  const [other] = await db
    .select({ id: playbooks.id })
    .from(playbooks)
    .where(and(eq(playbooks.projectId, projectId), eq(playbooks.title, title)));
  if (!other || other.id === ownId) return;
  throw new DomainError("conflict", `this project has a playbook "${title}" already; give this one another title`, {
    issues: [{ path: "form.title", code: "duplicate", message: "another playbook has this title" }],
    details: { id: other.id },
  });
}
