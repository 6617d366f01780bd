import { sql } from "drizzle-orm";
import { z } from "zod";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { CHECK_NAMES, type CHECKS, type CheckName, type Finding, type SubjectKind } from "@/server/domain/playbooks/checks";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { storedNow } from "@/server/engine/stored-clock";
import { isTooSlow } from "@/server/engine/transient";
import { type CodeScene, codeChanges, codeKeys, codePlaces, codeRate, codeStacks } from "./check-code";
import { type NodeScene, nodeAttempt, nodeHistory, nodeOutput, nodeUsual } from "./check-node";
import { type CheckScene, checkSubjectSchema, missingSubject, resolveSubject } from "./check-subject";
import { type WorkerScene, workerBreaker, workerCodes, workerMemory, workerTrips } from "./check-worker";

/** A check that takes longer is given up: it is one of many readers. */
const LIMIT_MS = 5_000;

export const runCheckSchema = z.strictObject({ projectId: z.uuid(), check: z.enum(CHECK_NAMES), subject: checkSubjectSchema });

export interface CheckResult extends Finding {
  readonly check: CheckName;
  readonly at: Date;
  /** What it was made about, also where it was found by itself. */
  readonly subject: {
    readonly runId: string | null;
    readonly nodeKey: string | null;
    readonly code: string | null;
    readonly workerId: string | null;
  };
}

/** Looks, and changes nothing: in a transaction that can only read, within a few seconds, over the viewer's project (INC-4). */
export async function runCheck(ctx: Ctx, given: z.input<typeof runCheckSchema>): Promise<CheckResult> {
  const { projectId, check, subject: asked } = parseInput(runCheckSchema, given);
  authorise(ctx, projectId, "project.read");
  try {
    return await ctx.db.transaction(
      async (tx) => {
        await tx.execute(sql.raw(`set local statement_timeout = ${LIMIT_MS}`));
        const subject = await resolveSubject(tx, projectId, asked);
        const now = await storedNow(ctx, tx);
        const finding = await find(check, { ctx, tx, projectId, now, subject });
        const { node, code, workerId } = subject;
        return { check, at: now, subject: { runId: node?.runId ?? null, nodeKey: node?.nodeKey ?? null, code, workerId }, ...finding };
      },
      { accessMode: "read only" },
    );
  } catch (error) {
    if (!isTooSlow(error)) throw error;
    throw new DomainError("unavailable", `the check took longer than ${LIMIT_MS / 1_000} s and was given up; try it again later`, {
      cause: error,
    });
  }
}

type NodeCheck = CheckOf<"node">;
type CodeCheck = CheckOf<"code">;
type WorkerCheck = CheckOf<"worker">;
type CheckOf<Kind extends SubjectKind> = { [Name in CheckName]: (typeof CHECKS)[Name] extends Kind ? Name : never }[CheckName];

const NODE_CHECKS: Readonly<Record<NodeCheck, (scene: NodeScene) => Promise<Finding>>> = {
  node_history: nodeHistory,
  node_attempt: nodeAttempt,
  node_output: nodeOutput,
  node_usual: nodeUsual,
};
const CODE_CHECKS: Readonly<Record<CodeCheck, (scene: CodeScene) => Promise<Finding>>> = {
  code_rate: codeRate,
  code_stacks: codeStacks,
  code_keys: codeKeys,
  code_places: codePlaces,
  code_changes: codeChanges,
};
const WORKER_CHECKS: Readonly<Record<WorkerCheck, (scene: WorkerScene) => Promise<Finding>>> = {
  worker_breaker: workerBreaker,
  worker_codes: workerCodes,
  worker_memory: workerMemory,
  worker_trips: workerTrips,
};

const isOf = <Name extends CheckName>(checks: Readonly<Record<Name, unknown>>, check: CheckName): check is Name =>
  Object.hasOwn(checks, check);

function find(check: CheckName, scene: CheckScene): Promise<Finding> {
  const { node, code, workerId } = scene.subject;
  if (isOf(NODE_CHECKS, check)) {
    if (!node) throw missingSubject("node");
    return NODE_CHECKS[check]({ ...scene, node });
  }
  if (isOf(CODE_CHECKS, check)) {
    if (code === null) throw missingSubject("code");
    return CODE_CHECKS[check]({ ...scene, code });
  }
  if (workerId === null) throw missingSubject("worker");
  return WORKER_CHECKS[check]({ ...scene, workerId });
}
