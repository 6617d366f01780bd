import { and, eq } from "drizzle-orm";
import { z } from "zod";
import { dependencies } from "@/db/schema/dependencies";
import { readCalls } from "@/db/statements/counting/dependency-calls";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { addTally, type Tally } from "@/server/domain/root-cause/counts";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { storedNow } from "@/server/engine/stored-clock";
import { type Health, healthOf } from "./health-of-hosts";
import { DEPENDENCY_KINDS, dependencyNameSchema } from "./list-dependencies";

const MINUTE_MS = 60_000;
/** How far back a curve goes, what it is drawn from, and how wide each of its points is. */
const SPANS = {
  "1h": { grain: "minute", points: 60, widthMs: MINUTE_MS },
  "24h": { grain: "minute", points: 96, widthMs: 15 * MINUTE_MS },
  "7d": { grain: "hour", points: 168, widthMs: 60 * MINUTE_MS },
} as const;
export const DEPENDENCY_SPANS = ["1h", "24h", "7d"] as const;

export const dependencyPlaceSchema = z.strictObject({
  projectId: z.uuid(),
  kind: z.enum(DEPENDENCY_KINDS),
  name: dependencyNameSchema,
  span: z.enum(DEPENDENCY_SPANS).default("24h"),
});

export interface DependencyDetails {
  readonly kind: (typeof DEPENDENCY_KINDS)[number];
  readonly name: string;
  readonly firstSeenAt: Date;
  readonly lastSeenAt: Date;
  readonly whole: Health | null;
  readonly widthMs: number;
  /** The oldest first; of a stretch without calls `health` is null. */
  readonly points: readonly { readonly at: Date; readonly health: Health | null }[];
  /** What its calls failed with, the most frequent first. */
  readonly codes: readonly { readonly code: string; readonly count: number }[];
  readonly otherCodes: number;
}

const MOST_CODES = 20;

/** One dependency: its curve of latency, and the codes that came from it (EXC-7). Index: dependency_calls_pkey. */
export async function loadDependency(ctx: Ctx, given: z.input<typeof dependencyPlaceSchema>): Promise<DependencyDetails> {
  const { projectId, kind, name, span } = parseInput(dependencyPlaceSchema, given);
  authorise(ctx, projectId, "project.read");
  const [row] = await ctx.db
    .select()
    .from(dependencies)
    .where(and(eq(dependencies.projectId, projectId), eq(dependencies.kind, kind), eq(dependencies.name, name)));
  if (!row)
    throw new DomainError("not_found", `nothing of this project has called ${kind} "${name}" in the last 35 days`, {
      details: { kind, name },
    });
  const { grain, points, widthMs } = SPANS[span];
  const now = await storedNow(ctx, ctx.db);
  const last = Math.floor(now.getTime() / widthMs) * widthMs;
  const from = new Date(last - (points - 1) * widthMs);
  const calls = await readCalls(ctx.db, projectId, [{ kind, name }], { grain, from, to: now });
  const byPoint = new Map<number, (typeof calls)[number][]>();
  for (const call of calls) {
    const at = Math.floor(call.at.getTime() / widthMs) * widthMs;
    byPoint.set(at, [...(byPoint.get(at) ?? []), call]);
  }
  const codes = calls.reduce<Tally>(
    (sum, { codes: { values, other } }) =>
      addTally(sum, [...Object.entries(values).map(([value, count]) => ({ value, count })), { value: null, count: other }], MOST_CODES),
    { values: {}, other: 0 },
  );
  return {
    ...{ kind, name, firstSeenAt: row.firstSeenAt, lastSeenAt: row.lastSeenAt, widthMs, otherCodes: codes.other },
    whole: healthOf(calls),
    points: Array.from({ length: points }, (_, n) => {
      const at = from.getTime() + n * widthMs;
      return { at: new Date(at), health: healthOf(byPoint.get(at) ?? []) };
    }),
    codes: Object.entries(codes.values).map(([code, count]) => ({ code, count })),
  };
}
