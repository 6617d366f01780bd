import { eq } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { fires } from "@/db/schema/pipelines";
import { platformEvents } from "@/db/schema/platform";
import { DomainError } from "@/server/domain/failure";
import type { Ctx } from "@/server/engine/context";
import { type CreatedRun, createRuns, type RunDraft } from "@/server/engine/runs/create-run";

interface FiredDraft {
  readonly fireId: string;
  readonly draft: RunDraft;
}

/**
 * Makes the runs of some fires and answers with the groups to ring. All at once; only where one of them is refused, as by
 * a parameter that the pipeline no longer takes, each by itself, so that the refused one holds up nobody.
 */
export async function startRuns(ctx: Ctx, tx: Tx, fired: readonly FiredDraft[]): Promise<string[]> {
  if (fired.length === 0) return [];
  const drafts = fired.map(({ draft }) => draft);
  const created = await unlessRefused(() => tx.transaction((inner) => createRuns(ctx, inner, drafts)));
  if (!(created instanceof DomainError)) return groupsOf(created);
  const groups: string[] = [];
  for (const one of fired) {
    const run = await unlessRefused(() => tx.transaction((inner) => createRuns(ctx, inner, [one.draft])));
    if (run instanceof DomainError) await recordRefusal(ctx, tx, one, run);
    else groups.push(...groupsOf(run));
  }
  return [...new Set(groups)];
}

async function unlessRefused<T>(work: () => Promise<T>): Promise<T | DomainError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

const groupsOf = (runs: readonly CreatedRun[]): string[] => [...new Set(runs.flatMap((run) => run.groups))];

async function recordRefusal(ctx: Ctx, tx: Tx, { fireId, draft }: FiredDraft, error: DomainError): Promise<void> {
  await tx.update(fires).set({ verdict: "missed", reason: "run_refused", runId: null }).where(eq(fires.id, fireId));
  await tx.insert(platformEvents).values({
    id: ctx.ids.uuid(),
    code: "APOLLO_SCHEDULED_RUN_REFUSED_422",
    message: `a fire of schedule ${draft.trigger.actor.label} started no run: ${error.message}`,
    data: {
      projectId: draft.projectId,
      pipelineId: draft.pipelineId,
      scheduleId: draft.trigger.scheduleId,
      fireAt: draft.trigger.scheduledAt,
    },
    at: ctx.clock.now(),
  });
}
