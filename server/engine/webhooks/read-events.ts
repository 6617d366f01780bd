import { and, asc, eq, gt, inArray, isNull, lte, or } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { pipelines } from "@/db/schema/pipelines";
import { runEvents, runs } from "@/db/schema/runs";
import { busEvents } from "@/db/schema/webhooks";
import { DomainError } from "@/server/domain/failure";
import { type EventType, TOLD_STATES, typeOfRunEvent, wants } from "@/server/domain/webhooks/told-events";
import type { Ctx } from "@/server/engine/context";
import { exportReview } from "@/server/engine/incidents/export-review";
import type { Happening } from "./compose-event";
import type { WebhookRow } from "./webhook-row";

/** Ids of one read: it stays short however far behind a subscriber is. */
const REACH = 50_000;
export const MOST_READ = 200;

export interface Read {
  readonly happenings: readonly Happening[];
  /** All up to here was looked at. */
  readonly cursor: number;
}

type Subscriber = Pick<WebhookRow, "projectId" | "events">;

/** What happened to runs of a project after a cursor. Index: run_events_id, the key of runs. */
export async function readRunEvents(tx: Tx, { projectId, events }: Subscriber, cursor: number, sealed: number): Promise<Read> {
  const upTo = Math.min(sealed, cursor + REACH);
  if (upTo <= cursor) return { happenings: [], cursor };
  const rows = await tx
    .select({
      event: runEvents,
      run: { pipelineId: runs.pipelineId, trigger: runs.triggerKind, scheduledAt: runs.scheduledAt },
      pipeline: pipelines.name,
    })
    .from(runEvents)
    .innerJoin(runs, eq(runs.id, runEvents.runId))
    .innerJoin(pipelines, eq(pipelines.id, runs.pipelineId))
    .where(and(gt(runEvents.id, cursor), lte(runEvents.id, upTo), inArray(runEvents.to, [...TOLD_STATES]), eq(runs.projectId, projectId)))
    .orderBy(asc(runEvents.id))
    .limit(MOST_READ);
  const happenings = rows.flatMap(({ event, run, pipeline }): Happening[] => {
    const type = typeOfRunEvent(event);
    if (type === null || !wants(events, type)) return [];
    const { code, message, reason } = event.data;
    const at = `/runs/${event.runId}`;
    return [
      {
        ...{ id: `run-${event.id}`, type, subject: `runs/${event.runId}`, at: event.at },
        path: event.nodeKey === null ? at : `${at}?node=${encodeURIComponent(event.nodeKey)}`,
        data: {
          ...{ runId: event.runId, pipeline, pipelineId: run.pipelineId, trigger: run.trigger, from: event.from, to: event.to },
          ...{ node: event.nodeKey, attempt: event.attemptNo, generation: event.generation, cause: event.cause },
          ...{ code, message, reason, scheduledAt: run.scheduledAt?.toISOString(), by: event.actor.kind },
        },
      },
    ];
  });
  return { happenings, cursor: rows.length === MOST_READ ? (rows.at(-1)?.event.id ?? upTo) : upTo };
}

const PLACES: Readonly<Record<string, (data: Readonly<Record<string, unknown>>) => string>> = {
  alert: ({ id }) => `/alerts?tab=all&alert=${String(id)}`,
  incident: ({ id }) => `/incidents/${String(id)}`,
  review: ({ id }) => `/incidents/${String(id)}`,
  breaker: () => "/workers",
  code: ({ code }) => `/codes/${encodeURIComponent(String(code))}`,
};

/** What happened beside runs, of the project or of all, after a cursor. */
export async function readBusEvents(
  ctx: Ctx,
  tx: Tx,
  { projectId, events }: Subscriber,
  { cursor, sealed }: { readonly cursor: number; readonly sealed: number },
): Promise<Read> {
  if (sealed <= cursor) return { happenings: [], cursor };
  const rows = await tx
    .select()
    .from(busEvents)
    .where(and(gt(busEvents.id, cursor), lte(busEvents.id, sealed), or(eq(busEvents.projectId, projectId), isNull(busEvents.projectId))))
    .orderBy(asc(busEvents.id))
    .limit(MOST_READ);
  const happenings: Happening[] = [];
  for (const row of rows) {
    if (!wants(events, row.type)) continue;
    const type = row.type as EventType;
    const path = PLACES[type.split(".")[0] ?? ""]?.(row.data) ?? "/";
    // INC-3: who follows reviews gets them whole.
    const markdown = type === "review.published" ? await reviewOf(ctx, String(row.data.id)) : undefined;
    happenings.push({ id: `bus-${row.id}`, type, subject: row.subject, at: row.at, data: { ...row.data, markdown }, path });
  }
  return { happenings, cursor: rows.length === MOST_READ ? (rows.at(-1)?.id ?? sealed) : sealed };
}

async function reviewOf(ctx: Ctx, id: string): Promise<string | undefined> {
  try {
    return await exportReview(ctx, { id });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    ctx.log.warn({ err: error, incidentId: id }, "a review is told without its text");
    return undefined;
  }
}
