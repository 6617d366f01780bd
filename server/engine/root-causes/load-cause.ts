import { and, desc, eq, gte, inArray, lte, sql } from "drizzle-orm";
import { z } from "zod";
import { pipelines } from "@/db/schema/pipelines";
import { audit } from "@/db/schema/platform";
import { rootCauseCards } from "@/db/schema/root-causes";
import { errorEvents } from "@/db/schema/runs";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import type { Counts, Dimension } from "@/server/domain/root-cause/counts";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { type HostHealth, healthOfHosts } from "@/server/engine/dependencies/health-of-hosts";
import { type CauseView, causeView } from "./cause-view";

export const causePlaceSchema = z.strictObject({ projectId: z.uuid(), id: z.uuid() });

const HOUR_MS = 3_600_000;
/** Whose deeds may have caused a burst; what is done about runs and alerts is none of them. */
const CHANGING = ["pipeline", "routing", "code", "secret", "host", "pool", "valve", "worker", "schedule", "project", "review", "alert"];
const NO_CHANGE = new Set(["pipeline.saveDraft", "pipeline.discardDraft"]);
const MOST_CHANGES = 50;
/** Of the newest failures, those that stand for their stack. */
const SAMPLED = 500;

export interface Valued {
  readonly value: string;
  readonly count: number;
}

export interface CauseDetails extends CauseView {
  readonly stacks: readonly (Valued & { readonly message: string | null })[];
  readonly keys: readonly Valued[];
  readonly created: readonly Valued[];
  readonly workers: readonly Valued[];
  /** A step of a pipeline, and a version of it: of what `pipeline` stands for. */
  readonly nodes: readonly (Valued & { readonly pipeline: PipelineName })[];
  readonly versions: readonly (Valued & { readonly pipeline: PipelineName })[];
  readonly hosts: readonly (Valued & HostHealth)[];
  /** Per dimension, what has no line of its own. */
  readonly others: Readonly<Record<Dimension, number>>;
  /** What people changed in the hour before the burst and until it ended. */
  readonly changes: readonly {
    readonly id: string;
    readonly at: Date;
    readonly actor: string;
    readonly verb: string;
    readonly object: { readonly kind: string; readonly id: string; readonly label: string };
    readonly reason: string | null;
  }[];
}

interface PipelineName {
  readonly id: string;
  readonly title: string | null;
}

/** The card of one burst: what its failures have in common, and what changed before it (EXC-7). */
export async function loadCause(ctx: Ctx, given: z.input<typeof causePlaceSchema>): Promise<CauseDetails> {
  const { projectId, id } = parseInput(causePlaceSchema, given);
  authorise(ctx, projectId, "project.read");
  const [row] = await ctx.db
    .select()
    .from(rootCauseCards)
    .where(and(eq(rootCauseCards.id, id), eq(rootCauseCards.projectId, projectId)));
  if (!row) throw new DomainError("not_found", `there is no root-cause card ${id} in this project`, { details: { id } });
  const counts = row.counts as Counts;
  const titles = await titlesOf(ctx, projectId, counts);
  const messages = await messagesOf(ctx, row);
  const valued = (dimension: Dimension): Valued[] =>
    Object.entries(counts[dimension].values)
      .map(([value, count]) => ({ value, count }))
      .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
  const inPipelines = (dimension: Dimension) =>
    valued(dimension).map(({ value, count }) => {
      const at = value.indexOf("/");
      const pipelineId = value.slice(0, at);
      return { value: value.slice(at + 1), count, pipeline: { id: pipelineId, title: titles.get(pipelineId) ?? null } };
    });
  return {
    ...causeView(row),
    stacks: valued("stack").map((each) => ({ ...each, message: messages.get(each.value) ?? null })),
    keys: valued("key"),
    created: valued("created").sort((a, b) => (a.value < b.value ? -1 : 1)),
    workers: valued("worker"),
    nodes: inPipelines("node"),
    versions: inPipelines("version"),
    hosts: await healthOfHosts(ctx.db, projectId, valued("host"), { from: row.openedAt, to: row.endedAt ?? row.countedUntil }),
    others: Object.fromEntries(Object.entries(counts).map(([dimension, { other }]) => [dimension, other])) as Record<Dimension, number>,
    changes: await changesBefore(ctx, row),
  };
}

async function titlesOf(ctx: Ctx, projectId: string, counts: Counts): Promise<ReadonlyMap<string, string>> {
  const ids = [...Object.keys(counts.node.values), ...Object.keys(counts.version.values)].map((value) =>
    value.slice(0, value.indexOf("/")),
  );
  if (ids.length === 0) return new Map();
  const rows = await ctx.db
    .select({ id: pipelines.id, title: pipelines.title })
    .from(pipelines)
    .where(and(eq(pipelines.projectId, projectId), inArray(pipelines.id, [...new Set(ids)])));
  return new Map(rows.map(({ id, title }) => [id, title]));
}

/** A message for each stack, of the newest failures. Index: error_events_code. */
async function messagesOf(ctx: Ctx, { projectId, code, openedAt, countedUntil }: typeof rootCauseCards.$inferSelect) {
  const rows = await ctx.db
    .select({ stackHash: errorEvents.stackHash, message: sql<string>`left(${errorEvents.message}, 300)` })
    .from(errorEvents)
    .where(
      and(
        eq(errorEvents.projectId, projectId),
        eq(errorEvents.code, code),
        gte(errorEvents.at, openedAt),
        lte(errorEvents.at, countedUntil),
      ),
    )
    .orderBy(desc(errorEvents.at))
    .limit(SAMPLED);
  return new Map(rows.map(({ stackHash, message }) => [stackHash ?? "", message]));
}

/** Index: audit_project, and the month by the id. */
async function changesBefore(ctx: Ctx, { projectId, openedAt, countedUntil }: typeof rootCauseCards.$inferSelect) {
  const from = new Date(openedAt.getTime() - HOUR_MS);
  const rows = await ctx.db
    .select()
    .from(audit)
    .where(
      and(
        eq(audit.projectId, projectId),
        sql`${audit.id} >= uuid7_floor(${from.toISOString()}::timestamptz)`,
        gte(audit.at, from),
        lte(audit.at, countedUntil),
        inArray(sql`split_part(${audit.verb}, '.', 1)`, CHANGING),
      ),
    )
    .orderBy(desc(audit.seq))
    .limit(MOST_CHANGES);
  return rows
    .filter(({ verb }) => !NO_CHANGE.has(verb))
    .map((row) => ({
      ...{ id: row.id, at: row.at, actor: row.actorLabel, verb: row.verb, reason: row.reason },
      object: { kind: row.objectKind, id: row.objectId, label: row.objectLabel },
    }));
}
