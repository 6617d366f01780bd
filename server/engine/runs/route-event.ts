import type { Executor } from "@/db/client";
import { findRoute } from "@/server/domain/routing/find-route";
import type { RunEvent } from "@/server/domain/run/model";
import type { Ctx } from "@/server/engine/context";
import { loadRouting, type Routing } from "@/server/engine/routing/routing-tables";
import type { OpenRun } from "./open-run";

type Routable = Extract<RunEvent, { kind: "attemptFailed" | "attemptTimedOut" | "workerLost" }>;

const isRoutable = (event: RunEvent): event is Routable =>
  event.kind === "attemptFailed" || event.kind === "attemptTimedOut" || event.kind === "workerLost";

/** The event with what the routing table of its project says of its failure; anything else as it is. */
export function routed(event: RunEvent, { row, version }: OpenRun, routing: Routing): RunEvent {
  const table = isRoutable(event) ? routing.get(row.projectId) : undefined;
  if (!table || !isRoutable(event)) return event;
  const { metadata, spec } = version.definition;
  const failing = { code: event.failure.code, pipeline: metadata.name, labels: metadata.labels, taskClass: spec.taskClass };
  return { ...event, route: findRoute(table, failing) };
}

const NOTHING: Routing = new Map();

/** The tables for what has failed; nothing is read where nothing has. */
export async function routingFor(
  ctx: Pick<Ctx, "clock" | "log">,
  db: Executor,
  failing: Iterable<{ readonly hasFailed: boolean; readonly projectId: string | undefined }>,
): Promise<Routing> {
  const projects = new Set<string>();
  for (const { hasFailed, projectId } of failing) if (hasFailed && projectId !== undefined) projects.add(projectId);
  return projects.size === 0 ? NOTHING : loadRouting(ctx, db, projects);
}

export const hasFailed = ({ kind }: { readonly kind: string }): boolean => kind === "failed" || kind === "timedOut";
export const isFailure = (event: RunEvent): boolean => isRoutable(event);
