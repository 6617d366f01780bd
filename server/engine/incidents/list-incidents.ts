import { and, desc, eq, gte, inArray, sql } from "drizzle-orm";
import { z } from "zod";
import { incidents } from "@/db/schema/incidents";
import { pipelines } from "@/db/schema/pipelines";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { type Page, pageLimitSchema, pageOf } from "@/server/domain/paging";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { storedNow } from "@/server/engine/stored-clock";
import { type IncidentView, incidentView } from "./incident-row";

export const INCIDENT_SHOWS = ["all", "ongoing", "unreviewed"] as const;

export const incidentFilterSchema = z.strictObject({
  projectId: z.uuid(),
  /** `unreviewed`: resolved, and nobody has closed it yet. */
  show: z.enum(INCIDENT_SHOWS).default("all"),
  code: z.string().max(64).optional(),
  cursor: z
    .string()
    .regex(/^[01]\.[0-9a-f-]{36}$/, { error: "not a cursor; hand back the nextCursor of the page before" })
    .optional(),
  limit: pageLimitSchema,
});

export interface IncidentLine extends IncidentView {
  readonly pipeline: { readonly id: string; readonly title: string } | null;
}

const isOver = sql<boolean>`(${incidents.state} in ('resolved','closed'))`;
const SHOWN = { all: undefined, ongoing: inArray(incidents.state, ["open", "acknowledged"]), unreviewed: eq(incidents.state, "resolved") };

/** The incidents of a project, what goes on first and the newest of each. Index: incidents_list. */
export async function listIncidents(ctx: Ctx, given: z.input<typeof incidentFilterSchema>): Promise<Page<IncidentLine>> {
  const { projectId, show, code, cursor, limit } = parseInput(incidentFilterSchema, given);
  authorise(ctx, projectId, "project.read");
  const rows = await ctx.db
    .select({ incident: incidents, title: pipelines.title })
    .from(incidents)
    .leftJoin(pipelines, eq(pipelines.id, incidents.pipelineId))
    .where(
      and(
        eq(incidents.projectId, projectId),
        SHOWN[show],
        code === undefined ? undefined : eq(incidents.code, code),
        cursor === undefined ? undefined : after(cursor),
      ),
    )
    .orderBy(isOver, desc(incidents.id))
    .limit(limit + 1);
  return pageOf(
    rows,
    limit,
    ({ incident }) => `${incident.resolvedAt === null ? 0 : 1}.${incident.id}`,
    ({ incident, title }) => ({
      ...incidentView(incident),
      pipeline: incident.pipelineId === null || title === null ? null : { id: incident.pipelineId, title },
    }),
  );
}

function after(cursor: string) {
  const id = cursor.slice(2);
  if (!z.uuid().safeParse(id).success) throw new DomainError("invalid_input", "not a cursor; hand back the nextCursor of the page before");
  const older = sql`${incidents.id} < ${id}::uuid`;
  return cursor.startsWith("1") ? sql`${isOver} and ${older}` : sql`(${isOver} or ${older})`;
}

export const incidentsOfSchema = z.strictObject({ projectId: z.uuid() });
export const STATS_DAYS = 30;

export interface IncidentStats {
  readonly opened: number;
  readonly ongoing: number;
  /** Resolved ones that wait to be closed. */
  readonly unreviewed: number;
  /** Means over those of the last 30 days that came so far; null where none has. */
  readonly mttaMs: number | null;
  readonly mttrMs: number | null;
}

/** How fast people were in the last 30 days, and what waits for them (INC-1). Index: incidents_opened, incidents_list. */
export async function incidentStats(ctx: Ctx, given: z.input<typeof incidentsOfSchema>): Promise<IncidentStats> {
  const { projectId } = parseInput(incidentsOfSchema, given);
  authorise(ctx, projectId, "project.read");
  const now = await storedNow(ctx, ctx.db);
  const mean = (until: typeof incidents.acknowledgedAt | typeof incidents.resolvedAt) =>
    // What has not come yet counts not at all: `greatest` alone would make a zero of it.
    sql<
      number | null
    >`(avg(greatest(0, extract(epoch from ${until} - ${incidents.openedAt}) * 1000)) filter (where ${until} is not null))::float8`;
  const [recent] = await ctx.db
    .select({ opened: sql<number>`count(*)::integer`, mttaMs: mean(incidents.acknowledgedAt), mttrMs: mean(incidents.resolvedAt) })
    .from(incidents)
    .where(and(eq(incidents.projectId, projectId), gte(incidents.openedAt, new Date(now.getTime() - STATS_DAYS * 86_400_000))));
  const ongoing = await ctx.db.$count(incidents, and(eq(incidents.projectId, projectId), sql`${isOver} = false`));
  const unreviewed = await ctx.db.$count(incidents, and(eq(incidents.projectId, projectId), eq(incidents.state, "resolved")));
  return { opened: recent?.opened ?? 0, mttaMs: recent?.mttaMs ?? null, mttrMs: recent?.mttrMs ?? null, ongoing, unreviewed };
}
