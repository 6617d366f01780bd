import { and, asc, eq, sql } from "drizzle-orm";
import { z } from "zod";
import { dependencies } from "@/db/schema/dependencies";
import { readCalls } from "@/db/statements/counting/dependency-calls";
import { parseInput } from "@/server/domain/input";
import { type Page, pageLimitSchema, pageOf } from "@/server/domain/paging";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { storedNow } from "@/server/engine/stored-clock";
import { type Health, healthOf } from "./health-of-hosts";

export const DEPENDENCY_KINDS = ["host", "resource"] as const;
export const dependencyNameSchema = z.string().min(1).max(200);

export const dependencyFilterSchema = z.strictObject({
  projectId: z.uuid(),
  /** Kind and name of the last one of the page before. */
  cursor: z
    .string()
    .max(220)
    .regex(/^(host|resource) .+$/, { error: "not a cursor; hand back the nextCursor of the page before" })
    .optional(),
  limit: pageLimitSchema,
});

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
const WEEK_MS = 7 * 24 * HOUR_MS;

export interface DependencyLine {
  readonly kind: (typeof DEPENDENCY_KINDS)[number];
  readonly name: string;
  readonly lastSeenAt: Date;
  /** The last hour; null where nothing called it. */
  readonly now: Health | null;
  /** The same hour a week ago. */
  readonly weekAgo: Health | null;
  /** The last 24 hours, the newest last; null where nothing called it. */
  readonly hours: readonly (Health | null)[];
}

/** What the nodes of a project call, and how it does (EXC-7). Index: dependencies_pkey, dependency_calls_pkey. */
export async function listDependencies(ctx: Ctx, given: z.input<typeof dependencyFilterSchema>): Promise<Page<DependencyLine>> {
  const { projectId, cursor, limit } = parseInput(dependencyFilterSchema, given);
  authorise(ctx, projectId, "project.read");
  const rows = await ctx.db
    .select()
    .from(dependencies)
    .where(and(eq(dependencies.projectId, projectId), cursor === undefined ? undefined : after(cursor)))
    .orderBy(asc(dependencies.kind), asc(dependencies.name))
    .limit(limit + 1);
  const names = rows.slice(0, limit);
  const now = await storedNow(ctx, ctx.db);
  const ago = (ms: number) => new Date(now.getTime() - ms);
  const thisHour = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS;
  const ofHours = { grain: "hour", from: new Date(thisHour - (DAY_HOURS - 1) * HOUR_MS), to: now } as const;
  const [minutes, hours, week] = [
    await readCalls(ctx.db, projectId, names, { grain: "minute", from: ago(HOUR_MS), to: now }),
    await readCalls(ctx.db, projectId, names, ofHours),
    await readCalls(ctx.db, projectId, names, { grain: "hour", from: ago(WEEK_MS + HOUR_MS), to: ago(WEEK_MS) }),
  ];
  return pageOf(
    rows,
    limit,
    ({ kind, name }) => `${kind} ${name}`,
    ({ kind, name, lastSeenAt }) => {
      const own = <Row extends { kind: string; name: string }>(all: readonly Row[]) =>
        all.filter((row) => row.kind === kind && row.name === name);
      const byHour = new Map(own(hours).map((row) => [row.at.getTime(), healthOf([row])]));
      return {
        ...{ kind: kind as DependencyLine["kind"], name, lastSeenAt },
        now: healthOf(own(minutes)),
        weekAgo: healthOf(own(week)),
        hours: Array.from({ length: DAY_HOURS }, (_, n) => byHour.get(ofHours.from.getTime() + n * HOUR_MS) ?? null),
      };
    },
  );
}

function after(cursor: string) {
  const at = cursor.indexOf(" ");
  return sql`(${dependencies.kind}, ${dependencies.name}) > (${cursor.slice(0, at)}, ${cursor.slice(at + 1)})`;
}
