import { eq } from "drizzle-orm";
import { z } from "zod";
import type { Executor } from "@/db/client";
import { runs } from "@/db/schema/runs";
import { roleIn } from "@/server/domain/access/roles";
import { DomainError } from "@/server/domain/failure";
import { nodeKeySchema, textSchema } from "@/server/domain/pipeline/definition";
import type { Decision, RunEvent } from "@/server/domain/run/model";
import { possibleNodeActions, possibleRunActions } from "@/server/domain/run/possible";
import type { RunState } from "@/server/domain/run/states";
import { authorise, refuseAnonymous } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";
import { announce, writeRuns } from "./commit-runs";
import { activateNext } from "./give-turns";
import { feed, type OpenRun, openForPerson } from "./open-run";
import { holdTurn, refuseWithoutTurn } from "./revived-turn";

/** Why it is done stands in the audit row. */
export const reasonSchema = textSchema(500).trim().min(1, { error: "say why; the reason stands in the audit" });

export const runInterventionSchema = z.strictObject({
  runId: z.uuid(),
  reason: reasonSchema,
  /** The run as the person saw it; refused as stale when it has moved since. */
  expectedSeq: z.int().min(0).optional(),
});
export type RunIntervention = z.input<typeof runInterventionSchema>;

export const nodeInterventionSchema = runInterventionSchema.extend({ key: nodeKeySchema });
export type NodeIntervention = z.input<typeof nodeInterventionSchema>;

/** The run after the intervention. */
export interface Intervened {
  readonly runId: string;
  readonly state: RunState;
  readonly seq: number;
  /** Keys of the nodes that it changed. */
  readonly changed: readonly string[];
}

export interface Wish {
  /** The audit's verb, such as `run.retryNode`. */
  readonly verb: string;
  readonly input: { readonly runId: string; readonly reason: string; readonly expectedSeq?: number | undefined; readonly key?: string };
  readonly eventOf: (open: OpenRun, now: Date) => RunEvent;
  /** It runs something again, which a pipeline that is gone allows no more. */
  readonly restarts?: boolean;
  /** It may bring back a run that has ended, which takes a turn as any start does. */
  readonly revives?: boolean;
  /** What the audit row keeps beside the states. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly output?: unknown;
}

/** What a person or a script presses: authorised, decided under the run's lock, written with its event and its audit row. */
export async function intervene(ctx: Ctx, wish: Wish): Promise<Intervened> {
  const { input } = wish;
  const projectId = await projectOfRun(ctx, ctx.db, input.runId);
  authorise(ctx, projectId, "run.intervene");
  const { committed, result } = await inTransaction(ctx, async (tx) => {
    const turn = wish.revives ? await holdTurn(tx, input.runId) : null;
    const opened = await openForPerson(tx, input.runId);
    if (!opened) throw runNotFound(input.runId);
    const { open, now } = opened;
    refuseStale(open, input.expectedSeq);
    const before = snapshot(open, input.key);
    const told = { actor: actorOf(ctx.principal), reason: input.reason, output: wish.output };
    const decision = feed(open, wish.eventOf(open, now), now, told);
    if (decision.kind !== "applied") throw refusal(open, decision, input.key);
    if (turn) await refuseWithoutTurn(tx, open, turn, wish.restarts === true);
    const committed = await writeRuns(ctx, tx, [open], now);
    await writeAudit(tx, ctx, {
      projectId,
      verb: wish.verb,
      object: { kind: "run", id: open.row.id, label: open.version.definition.metadata.name },
      reason: input.reason,
      before,
      after: { ...snapshot(open, input.key), ...wish.details },
    });
    return { committed, result: intervened(open) };
  });
  await announce(ctx, committed);
  await activateNext(ctx, committed.endedPipelineIds);
  return result;
}

/** The project of a run that the caller may see; for anyone else the run does not exist. */
export async function projectOfRun(ctx: Pick<Ctx, "principal">, db: Executor, runId: string): Promise<string> {
  refuseAnonymous(ctx);
  const [row] = await db.select({ projectId: runs.projectId }).from(runs).where(eq(runs.id, runId));
  if (!row || roleIn(ctx.principal, row.projectId) === null) throw runNotFound(runId);
  return row.projectId;
}

export const runNotFound = (runId: string) =>
  new DomainError("not_found", `there is no run ${runId}, or you have no role in its project`, { details: { runId } });

function refuseStale({ row }: OpenRun, expectedSeq: number | undefined): void {
  if (expectedSeq === undefined || expectedSeq === row.seq) return;
  throw new DomainError(
    "stale",
    `run ${row.id} has moved on since you looked (step ${row.seq}, you saw ${expectedSeq}); look again and decide anew`,
    {
      details: { runId: row.id, seq: row.seq, expectedSeq },
    },
  );
}

function refusal(open: OpenRun, decision: Exclude<Decision, { kind: "applied" }>, key: string | undefined): DomainError {
  const { facts, row } = open;
  const state = key === undefined ? undefined : facts.nodes.get(key)?.state;
  if (key !== undefined && state === undefined) {
    return new DomainError("not_found", `run ${row.id} has no node "${key}"`, { details: { runId: row.id, key } });
  }
  const possible: readonly string[] = state === undefined ? possibleRunActions(facts) : possibleNodeActions(state);
  const what = state === undefined ? `run ${row.id} is ${facts.state}` : `node "${key}" is ${state}`;
  const hint = possible.length === 0 ? "nothing can be done to it now" : `possible now: ${possible.join(", ")}`;
  return new DomainError("illegal_transition", `${what}: ${decision.reason}; ${hint}`, {
    details: { runId: row.id, key: key ?? null, state: state ?? facts.state, possible },
  });
}

function snapshot({ facts }: OpenRun, key: string | undefined): Record<string, unknown> {
  if (key === undefined) return { state: facts.state };
  const node = facts.nodes.get(key);
  return { state: facts.state, node: key, nodeState: node?.state ?? null, generation: node?.generation ?? null };
}

const intervened = ({ row, facts, log }: OpenRun): Intervened => ({
  runId: row.id,
  state: facts.state,
  seq: row.seq + 1,
  changed: [...new Set(log.flatMap((entry) => (entry.kind === "node" ? [entry.change.key] : [])))],
});
