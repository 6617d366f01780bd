import { z } from "zod";
import { countReviews, MOST_COUNTED, type ReviewCount, type ReviewPlace, type ReviewRow, readReviews } from "@/db/statements/reviews";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { type Page, pageLimitSchema, pageOf } from "@/server/domain/paging";
import { ROUTE_ACTIONS } from "@/server/domain/routing/route";
import { type ReviewCause, reviewCauseOf } from "@/server/domain/run/review-cause";
import type { RunState } from "@/server/domain/run/states";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { type ReviewSettings, reviewSettingsOf } from "./review-settings";

export const reviewFilterSchema = z.strictObject({
  projectId: z.uuid(),
  code: z.string().max(64).optional(),
  pipelineId: z.uuid().optional(),
  cursor: z.string().max(200).optional(),
  limit: pageLimitSchema,
});

export interface Review {
  readonly run: { readonly id: string; readonly state: RunState; readonly seq: number };
  readonly node: { readonly key: string; readonly type: string; readonly group: string; readonly generation: number };
  readonly pipeline: { readonly id: string; readonly name: string; readonly title: string };
  /** Of the pipeline: whose it is to decide. */
  readonly owner: string;
  readonly since: Date;
  readonly dueBy: Date;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly cause: ReviewCause;
  /** In words: what the step said that brought it here. */
  readonly why: string;
  /** The rule that sent it, where one did. */
  readonly rule: { readonly name: string; readonly version: number } | null;
  readonly attempts: number;
  /** An attempt's fate is unknown: its effect may have happened. */
  readonly maybeRepeated: boolean;
}

/** Nodes of all pipelines of a project that wait for a person, the longest first (RUN-2, EXC-5). */
export async function listReviews(ctx: Ctx, given: z.input<typeof reviewFilterSchema>): Promise<Page<Review>> {
  const { projectId, code, pipelineId, cursor, limit } = parseInput(reviewFilterSchema, given);
  authorise(ctx, projectId, "project.read");
  const settings = await reviewSettingsOf(ctx.db, projectId);
  const rows = await readReviews(ctx.db, { projectId, code, pipelineId }, placeOf(cursor), limit + 1);
  return pageOf(
    rows,
    limit,
    ({ since, runId, key }) => `${since.getTime()}_${runId}_${key}`,
    (row) => reviewOf(row, settings),
  );
}

export interface ReviewSummary {
  readonly total: number;
  /** There are more than were counted. */
  readonly more: boolean;
  readonly overdue: number;
  /** By code, the most frequent first; null for what has none. */
  readonly codes: readonly ReviewCount[];
  readonly settings: ReviewSettings;
}

/** How many wait, and how many longer than they may. */
export async function summariseReviews(ctx: Ctx, given: { projectId: string }): Promise<ReviewSummary> {
  const { projectId } = parseInput(reviewFilterSchema.pick({ projectId: true }), given);
  authorise(ctx, projectId, "project.read");
  const settings = await reviewSettingsOf(ctx.db, projectId);
  const codes = await countReviews(ctx.db, projectId, settings.slaMinutes);
  const sum = (of: (each: ReviewCount) => number) => codes.reduce((total, each) => total + of(each), 0);
  const total = sum(({ count }) => count);
  return { total, more: total >= MOST_COUNTED, overdue: sum(({ overdue }) => overdue), codes, settings };
}

const routeSchema = z.object({ rule: z.string(), version: z.number(), action: z.enum(ROUTE_ACTIONS) });

function reviewOf(row: ReviewRow, { slaMinutes }: ReviewSettings): Review {
  const route = routeSchema.safeParse(row.data.route).data;
  return {
    run: { id: row.runId, state: row.runState as RunState, seq: row.seq },
    node: { key: row.key, type: row.type, group: row.group, generation: row.generation },
    pipeline: { id: row.pipelineId, name: row.pipelineName, title: row.pipelineTitle },
    owner: row.owner,
    since: row.since,
    dueBy: new Date(row.since.getTime() + (row.slaMinutes ?? slaMinutes) * 60_000),
    error: row.errorCode === null ? null : { code: row.errorCode, message: row.errorMessage ?? "" },
    cause: reviewCauseOf(row.event),
    why: row.event === "reviewRequested" && typeof row.data.reason === "string" ? `${row.actor}: ${row.data.reason}` : row.cause,
    rule: route ? { name: route.rule, version: route.version } : null,
    attempts: row.attempts,
    maybeRepeated: row.maybeRepeated,
  };
}

const CURSOR = /^(\d{1,15})_([0-9a-f-]{36})_([a-z][a-z0-9_]{0,63})$/;

function placeOf(cursor: string | undefined): ReviewPlace | null {
  if (cursor === undefined) return null;
  const [, ms, runId, key] = CURSOR.exec(cursor) ?? [];
  if (ms && runId && key) return { since: new Date(Number(ms)), runId, key };
  throw new DomainError("invalid_input", `cursor: "${cursor}" is not one that this list gave; leave it out to begin at the oldest`, {
    issues: [{ path: "cursor", code: "cursor", message: "not a cursor of this list" }],
  });
}
