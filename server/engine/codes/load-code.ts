import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { recentRunsOnly } from "@/db/statements/recent-runs";
import { errorCodeSchema } from "@/server/domain/codes/definition";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { checkZone } from "@/server/domain/schedule/zone";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { type Approval, approvalsOf, type CodeView, codeView, findCodeRow, reviewersNeeded } from "./code-row";
import { type MappingView, mappingsTo } from "./map-code";
import { mappedCodes, shownEvents } from "./mapping";

export const loadCodeSchema = z.strictObject({
  projectId: z.uuid(),
  code: errorCodeSchema,
  /** Whose days the trend counts. */
  timezone: z.string().min(1).max(64).default("UTC"),
});

export const TREND_DAYS = 90;
/** The newest events that the card's other figures are taken from. */
export const CARD_EVENTS = 5_000;

export interface CodeCard extends CodeView {
  readonly approvals: readonly Approval[];
  readonly needed: number;
  readonly mappings: readonly MappingView[];
  /** Only days with events; `day` is a date in the asked zone. */
  readonly trend: readonly { readonly day: string; readonly events: number }[];
  readonly today: string;
  readonly touched: readonly {
    readonly id: string;
    readonly title: string;
    readonly versions: readonly number[];
    readonly events: number;
    readonly lastAt: Date;
  }[];
  /** Per retry: how often it was made after this code, and how often it helped (RTY-4). */
  readonly retries: readonly { readonly no: number; readonly tried: number; readonly helped: number }[];
  readonly events: readonly {
    readonly runId: string;
    readonly nodeKey: string;
    readonly attemptNo: number;
    readonly pipeline: string;
    readonly message: string;
    /** The worker's own code, where it is another that is shown under this one. */
    readonly said: string | null;
    readonly at: Date;
  }[];
}

/** All that is known of a code (INC-3). Index: error_events_code; the rest by the keys of the events found. */
export async function loadCode(ctx: Ctx, given: z.input<typeof loadCodeSchema>): Promise<CodeCard> {
  const { projectId, code, timezone } = parseInput(loadCodeSchema, given);
  authorise(ctx, projectId, "project.read");
  const zone = checkZone(timezone);
  if (!zone.ok) {
    throw new DomainError("invalid_input", zone.message, { issues: [{ path: "timezone", code: "timezone", message: zone.message }] });
  }
  const row = await findCodeRow(ctx.db, projectId, code);
  const under = eventsUnder(code, shownEvents(projectId, [code], await mappedCodes(ctx.db, projectId)));
  return {
    ...codeView(row),
    approvals: await approvalsOf(ctx.db, row),
    needed: await reviewersNeeded(ctx.db, projectId),
    mappings: await mappingsTo(ctx, projectId, code),
    ...(await trendOf(ctx, under, zone.zone)),
    ...(await sampled(ctx, under)),
  };
}

/** Of these events the last 90 days of a code's. To stand after `from`. */
export const eventsUnder = (code: string, events: SQL): SQL =>
  sql`${events} where shown = ${code} and at > now() - make_interval(days => ${TREND_DAYS}) and ${recentRunsOnly(sql`run_id`, TREND_DAYS)}`;

export const trendQuery = (under: SQL, zone: string): SQL =>
  sql`select to_char(at at time zone ${zone}, 'YYYY-MM-DD') as day, count(*)::integer as events from ${under} group by 1 order by 1`;

async function trendOf(ctx: Ctx, under: SQL, zone: string): Promise<Pick<CodeCard, "trend" | "today">> {
  const rows = await ctx.db.execute<{ day: string; events: number }>(trendQuery(under, zone));
  const [now] = await ctx.db.execute<{ today: string }>(sql`select to_char(clock_timestamp() at time zone ${zone}, 'YYYY-MM-DD') as today`);
  return { trend: [...rows], today: now?.today ?? "" };
}

interface Sampled {
  readonly [column: string]: unknown;
  readonly touched: readonly { id: string; title: string; versions: number[]; events: number; lastMs: number }[] | null;
  readonly retries: CodeCard["retries"] | null;
  readonly newest:
    | readonly { runId: string; nodeKey: string; attemptNo: number; pipeline: string; message: string; said: string | null; atMs: number }[]
    | null;
}

/**
 * What the newest events tell, read once. A retry of an attempt that failed so is the next one of its generation; one that
 * runs still says nothing yet.
 */
async function sampled(ctx: Ctx, under: SQL): Promise<Pick<CodeCard, "touched" | "retries" | "events">> {
  const [row] = await ctx.db.execute<Sampled>(sql`
    with sample as materialized (
      select run_id, id, pipeline_id, node_key, generation, attempt_no, left(message, 500) as message,
        coalesce(said_code, nullif(code, shown)) as said, at, (extract(epoch from at) * 1000)::bigint as at_ms
      from ${under} order by at desc, id desc limit ${CARD_EVENTS}
    ), touched as (
      select p.id, p.title, array_agg(distinct r.version_no order by r.version_no desc) as versions, count(*)::integer as events, max(s.at_ms) as "lastMs"
      from sample s join runs r on r.id = s.run_id join pipelines p on p.id = s.pipeline_id
      group by p.id, p.title order by events desc, p.title limit 20
    ), retries as (
      select s.attempt_no as no, count(*)::integer as tried, (count(*) filter (where a.outcome = 'succeeded'))::integer as helped
      from sample s
      join attempts a on a.run_id = s.run_id and a.node_key = s.node_key and a.generation = s.generation and a.no = s.attempt_no + 1
      where a.outcome in ('succeeded', 'failed', 'timed_out', 'lost')
      group by 1 order by 1 limit 10
    ), newest as (
      select s.run_id as "runId", s.node_key as "nodeKey", s.attempt_no as "attemptNo", p.title as pipeline, s.message, s.said, s.at_ms as "atMs", s.at, s.id
      from sample s join pipelines p on p.id = s.pipeline_id order by s.at desc, s.id desc limit 10
    )
    select (select jsonb_agg(to_jsonb(t) order by t.events desc, t.title) from touched t) as touched,
      (select jsonb_agg(to_jsonb(t) order by t.no) from retries t) as retries,
      (select jsonb_agg(to_jsonb(t) - 'at' - 'id' order by t.at desc, t.id desc) from newest t) as newest
  `);
  return {
    touched: (row?.touched ?? []).map(({ lastMs, versions, ...pipeline }) => ({
      ...pipeline,
      versions: versions.slice(0, 8),
      lastAt: new Date(lastMs),
    })),
    retries: row?.retries ?? [],
    events: (row?.newest ?? []).map(({ atMs, ...event }) => ({ ...event, at: new Date(atMs) })),
  };
}
