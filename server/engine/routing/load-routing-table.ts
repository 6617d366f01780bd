import { and, desc, eq, lt } from "drizzle-orm";
import { z } from "zod";
import { routingVersions } from "@/db/schema/routing";
import { parseInput } from "@/server/domain/input";
import { type Page, pageLimitSchema, pageOf } from "@/server/domain/paging";
import { type RoutingRule, rulesSchema, SHIPPED_RULES } from "@/server/domain/routing/rule";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";

export interface RoutingVersion {
  /** 0 is what is shipped, in force until somebody saves a table. */
  readonly version: number;
  readonly rules: readonly RoutingRule[];
  readonly note: string;
  readonly savedBy: string | null;
  readonly savedAt: Date | null;
}

const SHIPPED: RoutingVersion = { version: 0, rules: SHIPPED_RULES, note: "", savedBy: null, savedAt: null };

const versionOf = (row: typeof routingVersions.$inferSelect): RoutingVersion => ({
  version: row.version,
  rules: rulesSchema.parse(row.rules),
  note: row.note,
  savedBy: row.createdBy,
  savedAt: row.createdAt,
});

export const routingPlaceSchema = z.strictObject({ projectId: z.uuid() });

/** The rules that are live in a project. */
export async function loadRoutingTable(ctx: Ctx, given: z.input<typeof routingPlaceSchema>): Promise<RoutingVersion> {
  const { projectId } = parseInput(routingPlaceSchema, given);
  authorise(ctx, projectId, "project.read");
  const [row] = await ctx.db
    .select()
    .from(routingVersions)
    .where(eq(routingVersions.projectId, projectId))
    .orderBy(desc(routingVersions.version))
    .limit(1);
  return row ? versionOf(row) : SHIPPED;
}

export const routingHistorySchema = z.strictObject({
  projectId: z.uuid(),
  cursor: z.coerce.number().int().min(1).optional(),
  limit: pageLimitSchema,
});

/** Every table that has been live, the newest first; the last of them is what was shipped. Index: the primary key. */
export async function listRoutingVersions(ctx: Ctx, given: z.input<typeof routingHistorySchema>): Promise<Page<RoutingVersion>> {
  const { projectId, cursor, limit } = parseInput(routingHistorySchema, given);
  authorise(ctx, projectId, "project.read");
  const rows = await ctx.db
    .select()
    .from(routingVersions)
    .where(and(eq(routingVersions.projectId, projectId), cursor === undefined ? undefined : lt(routingVersions.version, cursor)))
    .orderBy(desc(routingVersions.version))
    .limit(limit + 1);
  const page = pageOf(rows, limit, ({ version }) => String(version), versionOf);
  return page.nextCursor === null ? { ...page, items: [...page.items, SHIPPED] } : page;
}
