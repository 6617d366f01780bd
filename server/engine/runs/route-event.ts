import type { Executor } from "@/db/client";
import { asTaught } from "@/server/domain/codes/taught";
import { findRoute } from "@/server/domain/routing/find-route";
import type { RunEvent } from "@/server/domain/run/model";
import type { Ctx } from "@/server/engine/context";
import { loadRouting, type Routing } from "@/server/engine/routing/routing-tables";
import type { OpenRun } from "./open-run";

type Routable = Extract<RunEvent, { kind: "attemptFailed" | "attemptTimedOut" | "workerLost" }>;

const isRoutable = (event: RunEvent): event is Routable =>
  event.kind === "attemptFailed" || event.kind === "attemptTimedOut" || event.kind === "workerLost";

/** The event under the code that its failure is taught to be, with what its project's routing table says of it; anything else as it is. */
export function routed(event: RunEvent, { row, version }: OpenRun, routing: Routing): RunEvent {
  const table = isRoutable(event) ? routing.get(row.projectId) : undefined;
  if (!table || !isRoutable(event)) return event;
  const { metadata, spec } = version.definition;
  const failure = asTaught(event.failure, table.taught);
  const failing = { code: failure.code, pipeline: metadata.name, labels: metadata.labels, taskClass: spec.taskClass };
  const decided = { failure, route: findRoute(table, failing) ?? event.route ?? null };
  // A lost worker's node comes back without a delay.
  if (event.kind === "workerLost") return { ...event, ...decided };
  return { ...event, ...decided, codeDelays: table.ofCodes.get(failure.code) ?? null };
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
