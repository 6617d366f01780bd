import { and, desc, eq, gt, isNotNull, isNull, lt, lte, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { projects } from "@/db/schema/access";
import { alerts, silences } from "@/db/schema/alerts";
import { pipelines } from "@/db/schema/pipelines";
import { roleIn } from "@/server/domain/access/roles";
import { patternSchema } from "@/server/domain/alert/pattern";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { idCursorSchema, type Page, pageLimitSchema, pageOf } from "@/server/domain/paging";
import { authorise, refuseAnonymous } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";
import { reasonSchema } from "@/server/engine/runs/intervention";
import { storedNow } from "@/server/engine/stored-clock";
import { lockAlerts } from "./lock-alerts";

/** One that nobody needs to remember must end by itself. */
const LONGEST_DAYS = 30;

export const createSilenceSchema = z.strictObject({
  projectId: z.uuid(),
  pattern: patternSchema,
  /** Of one pipeline alone. */
  pipelineId: z.uuid().nullable().default(null),
  reason: reasonSchema,
  endsAt: z.coerce.date(),
});

export interface SilenceView {
  readonly id: string;
  readonly no: number;
  readonly pattern: string;
  readonly pipeline: { readonly id: string; readonly title: string } | null;
  readonly reason: string;
  readonly author: string;
  readonly startsAt: Date;
  readonly endsAt: Date;
  readonly endedBy: string | null;
  readonly active: boolean;
  /** Open alerts that it keeps from people now. */
  readonly holds: number;
}

/** Keeps what matches from people until an end; everything that it keeps back has a receipt, and fires again when it ends. */
export async function createSilence(ctx: Ctx, given: z.input<typeof createSilenceSchema>): Promise<{ id: string; no: number }> {
  const { projectId, pattern, pipelineId, reason, endsAt } = parseInput(createSilenceSchema, given);
  authorise(ctx, projectId, "alert.handle");
  const made = await inTransaction(ctx, async (tx) => {
    // Numbers are counted in the project: two who make one take turns.
    await tx.select({ id: projects.id }).from(projects).where(eq(projects.id, projectId)).for("update");
    const now = await storedNow(ctx, tx);
    if (endsAt <= now || endsAt.getTime() - now.getTime() > LONGEST_DAYS * 86_400_000) {
      throw new DomainError("invalid_input", `a silence ends in the future, within ${LONGEST_DAYS} days`, {
        issues: [{ path: "endsAt", code: "range", message: `choose an end within ${LONGEST_DAYS} days` }],
      });
    }
    if (pipelineId !== null) {
      const known = await tx.$count(pipelines, and(eq(pipelines.id, pipelineId), eq(pipelines.projectId, projectId)));
      if (known === 0) throw new DomainError("not_found", `this project has no pipeline ${pipelineId}`);
    }
    const [last] = await tx
      .select({ no: sql<number>`coalesce(max(${silences.no}), 0)` })
      .from(silences)
      .where(eq(silences.projectId, projectId));
    const [id, no] = [ctx.ids.uuid(now), (last?.no ?? 0) + 1];
    const author = actorOf(ctx.principal).label;
    await tx.insert(silences).values({ id, projectId, no, pattern, pipelineId, reason, author, startsAt: now, endsAt });
    await writeAudit(tx, ctx, {
      projectId,
      verb: "silence.create",
      object: { kind: "silence", id, label: `#${no}` },
      reason,
      after: { pattern, pipelineId, endsAt: endsAt.toISOString() },
    });
    return { id, no };
  });
  ctx.ports.live.changed(projectId);
  return made;
}

export const silencePlaceSchema = z.strictObject({ id: z.uuid() });

/** Ends a silence before its time; what it kept back and is still open fires again. */
export async function endSilence(ctx: Ctx, given: z.input<typeof silencePlaceSchema>): Promise<{ id: string }> {
  const { id } = parseInput(silencePlaceSchema, given);
  refuseAnonymous(ctx);
  const projectId = await inTransaction(ctx, async (tx) => {
    const [row] = await tx.select().from(silences).where(eq(silences.id, id)).for("update");
    if (!row || roleIn(ctx.principal, row.projectId) === null) {
      throw new DomainError("not_found", `there is no silence ${id}, or you have no role in its project`, { details: { id } });
    }
    authorise(ctx, row.projectId, "alert.handle");
    const now = await storedNow(ctx, tx);
    if (row.endsAt <= now)
      throw new DomainError("stale", `silence #${row.no} has ended at ${row.endsAt.toISOString()} already`, { details: { id } });
    await lockAlerts(tx, row.projectId);
    await tx.update(alerts).set({ lookAt: now }).where(heldBy(row.id, row.projectId));
    await tx
      .update(silences)
      .set({ endsAt: now, endedBy: actorOf(ctx.principal).label })
      .where(eq(silences.id, id));
    await writeAudit(tx, ctx, {
      projectId: row.projectId,
      verb: "silence.end",
      object: { kind: "silence", id, label: `#${row.no}` },
      before: { pattern: row.pattern, endsAt: row.endsAt.toISOString() },
    });
    return row.projectId;
  });
  ctx.ports.live.changed(projectId);
  return { id };
}

/** Open alerts that a silence keeps from people, alone or beside others. Index: alerts_open. */
const heldBy = (silenceId: string | SQL, projectId: string) => {
  const ref = sql`jsonb_build_object('ref', ${silenceId}::text)`;
  const holds = sql`(${alerts.suppressed} @> ${ref} or ${alerts.suppressed} -> 'also' @> jsonb_build_array(${ref}))`;
  return and(eq(alerts.projectId, projectId), isNull(alerts.resolvedAt), isNotNull(alerts.suppressed), holds);
};

export const silenceFilterSchema = z.strictObject({
  projectId: z.uuid(),
  show: z.enum(["active", "ended"]).default("active"),
  cursor: idCursorSchema.optional(),
  limit: pageLimitSchema,
});

/** The silences of a project, newest first, with how much each holds. Index: silences_project. */
export async function listSilences(ctx: Ctx, given: z.input<typeof silenceFilterSchema>): Promise<Page<SilenceView>> {
  const { projectId, show, cursor, limit } = parseInput(silenceFilterSchema, given);
  authorise(ctx, projectId, "project.read");
  const now = await storedNow(ctx, ctx.db);
  const rows = await ctx.db
    .select({
      silence: silences,
      title: pipelines.title,
      holds: sql<number>`(select count(*)::integer from ${alerts} where ${heldBy(sql`${silences.id}`, projectId)})`,
    })
    .from(silences)
    .leftJoin(pipelines, eq(pipelines.id, silences.pipelineId))
    .where(
      and(
        eq(silences.projectId, projectId),
        show === "active" ? gt(silences.endsAt, now) : lte(silences.endsAt, now),
        cursor === undefined ? undefined : lt(silences.id, cursor),
      ),
    )
    .orderBy(desc(silences.id))
    .limit(limit + 1);
  return pageOf(
    rows,
    limit,
    ({ silence }) => silence.id,
    ({ silence: { id, no, pattern, pipelineId, reason, author, startsAt, endsAt, endedBy }, title, holds }) => ({
      ...{ id, no, pattern, reason, author, startsAt, endsAt, endedBy, holds, active: endsAt > now },
      pipeline: pipelineId === null ? null : { id: pipelineId, title: title ?? "" },
    }),
  );
}
