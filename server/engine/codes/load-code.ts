import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { errorEvents } from "@/db/schema/runs";
import { errorCodeSchema } from "@/server/domain/codes/definition";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { checkZone } from "@/server/domain/schedule/zone";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { type Approval, approvalsOf, type CodeView, codeView, findCodeRow, reviewersNeeded } from "./code-row";
import { type MappingView, mappingsTo } from "./map-code";
import { eventsUnder, mappedCodes, shownCode } from "./mapping";

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
  const mapped = await mappedCodes(ctx.db, projectId);
  const under = sql`${eventsUnder(projectId, [code], mapped)} and ${shownCode(mapped)} = ${code}
    and ${errorEvents.at} > clock_timestamp() - make_interval(days => ${TREND_DAYS})`;
  const [approvals, needed, mappings, trend, touched, retries, events] = [
    await approvalsOf(ctx.db, row),
    await reviewersNeeded(ctx.db, projectId),
    await mappingsTo(ctx, projectId, code),
    await trendOf(ctx, under, zone.zone),
    await touchedBy(ctx, under),
    await retriesAfter(ctx, under),
    await newestOf(ctx, under),
  ];
  return { ...codeView(row), approvals, needed, mappings, ...trend, touched, retries, events };
}

const sampleOf = (under: SQL) => sql`
  with sample as materialized (
    select run_id, id, pipeline_id, node_key, generation, attempt_no, message, at from error_events
    where ${under} order by at desc, id desc limit ${CARD_EVENTS}
  )`;

async function trendOf(ctx: Ctx, under: SQL, zone: string): Promise<Pick<CodeCard, "trend" | "today">> {
  const rows = await ctx.db.execute<{ day: string; events: number }>(sql`
    select to_char(at at time zone ${zone}, 'YYYY-MM-DD') as day, count(*)::integer as events
    from error_events where ${under} group by 1 order by 1
  `);
  const [now] = await ctx.db.execute<{ today: string }>(sql`select to_char(clock_timestamp() at time zone ${zone}, 'YYYY-MM-DD') as today`);
  return { trend: [...rows], today: now?.today ?? "" };
}

async function touchedBy(ctx: Ctx, under: SQL): Promise<CodeCard["touched"]> {
  const rows = await ctx.db.execute<{ id: string; title: string; versions: number[]; events: number; last_ms: number }>(sql`
    ${sampleOf(under)}
    select p.id, p.title, array_agg(distinct r.version_no order by r.version_no desc) as versions, count(*)::integer as events,
      (extract(epoch from max(s.at)) * 1000)::float8 as last_ms
    from sample s join runs r on r.id = s.run_id join pipelines p on p.id = s.pipeline_id
    group by p.id, p.title order by events desc, p.title limit 20
  `);
  return rows.map(({ last_ms, versions, ...pipeline }) => ({ ...pipeline, versions: versions.slice(0, 8), lastAt: new Date(last_ms) }));
}

/** A retry of an attempt that failed so is the next one of its generation; those that run still say nothing yet. */
async function retriesAfter(ctx: Ctx, under: SQL): Promise<CodeCard["retries"]> {
  const rows = await ctx.db.execute<{ no: number; tried: number; helped: number }>(sql`
    ${sampleOf(under)}
    select s.attempt_no as no, count(*)::integer as tried, (count(*) filter (where a.outcome = 'succeeded'))::integer as helped
    from sample s
    join attempts a on a.run_id = s.run_id and a.node_key = s.node_key and a.generation = s.generation and a.no = s.attempt_no + 1
    where a.outcome in ('succeeded', 'failed', 'timed_out', 'lost')
    group by 1 order by 1 limit 10
  `);
  return [...rows];
}

async function newestOf(ctx: Ctx, under: SQL): Promise<CodeCard["events"]> {
  const rows = await ctx.db.execute<{
    run_id: string;
    node_key: string;
    attempt_no: number;
    pipeline: string;
    message: string;
    at_ms: number;
  }>(sql`
    ${sampleOf(under)}
    select s.run_id, s.node_key, s.attempt_no, p.title as pipeline, left(s.message, 500) as message, (extract(epoch from s.at) * 1000)::float8 as at_ms
    from sample s join pipelines p on p.id = s.pipeline_id order by s.at desc, s.id desc limit 10
  `);
  return rows.map((event) => ({
    runId: event.run_id,
    nodeKey: event.node_key,
    attemptNo: event.attempt_no,
    pipeline: event.pipeline,
    message: event.message,
    at: new Date(event.at_ms),
  }));
}
