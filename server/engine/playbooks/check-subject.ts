import { sql } from "drizzle-orm";
import { z } from "zod";
import type { Tx } from "@/db/client";
import { recentRunsOnly } from "@/db/statements/recent-runs";
import { errorCodeSchema } from "@/server/domain/codes/definition";
import { DomainError } from "@/server/domain/failure";
import { nodeKeySchema } from "@/server/domain/pipeline/definition";
import type { SubjectKind } from "@/server/domain/playbooks/checks";
import type { Ctx } from "@/server/engine/context";

export const checkSubjectSchema = z.strictObject({
  runId: z.uuid().optional(),
  nodeKey: nodeKeySchema.optional(),
  code: errorCodeSchema.optional(),
  workerId: z.string().trim().min(1).max(128).optional(),
});

export interface CheckedNode {
  readonly runId: string;
  readonly nodeKey: string;
  readonly pipelineId: string;
  readonly state: string;
  readonly generation: number;
  readonly attemptNo: number;
  readonly workerId: string | null;
}

/** What a check is made about; one part may have been found through another. */
export interface CheckSubject {
  readonly node: CheckedNode | null;
  readonly code: string | null;
  readonly workerId: string | null;
}

export interface CheckScene {
  readonly ctx: Ctx;
  readonly tx: Tx;
  readonly projectId: string;
  readonly now: Date;
  readonly subject: CheckSubject;
}

/** Fills the gaps: a code leads to its newest failure, a node to its worker and to the code that it failed with. */
export async function resolveSubject(tx: Tx, projectId: string, given: z.output<typeof checkSubjectSchema>): Promise<CheckSubject> {
  const byNode = given.runId !== undefined && given.nodeKey !== undefined;
  const place = byNode
    ? { runId: given.runId, nodeKey: given.nodeKey }
    : given.code === undefined
      ? null
      : await newestFailure(tx, projectId, given.code);
  const found = place === null ? null : await findNode(tx, projectId, place.runId ?? "", place.nodeKey ?? "");
  if (byNode && found === null) {
    throw new DomainError("not_found", `this project has no run ${given.runId} with a node ${given.nodeKey}`, {
      details: { runId: given.runId, nodeKey: given.nodeKey },
    });
  }
  return {
    node: found?.node ?? null,
    code: given.code ?? found?.errorCode ?? null,
    workerId: given.workerId ?? found?.node.workerId ?? null,
  };
}

/** Index: error_events_code. */
async function newestFailure(tx: Tx, projectId: string, code: string): Promise<{ runId: string; nodeKey: string } | null> {
  const [row] = await tx.execute<{ runId: string; nodeKey: string }>(sql`
    select e.run_id as "runId", e.node_key as "nodeKey" from error_events e
    where e.project_id = ${projectId}::uuid and e.code = ${code} and ${recentRunsOnly(sql.raw("e.run_id"))}
    order by e.at desc limit 1
  `);
  return row ?? null;
}

type NodeRow = CheckedNode & { readonly [column: string]: unknown; readonly errorCode: string | null };

/** Index: the keys of runs, node_runs and attempts. */
async function findNode(
  tx: Tx,
  projectId: string,
  runId: string,
  nodeKey: string,
): Promise<{ readonly node: CheckedNode; readonly errorCode: string | null } | null> {
  const [row] = await tx.execute<NodeRow>(sql`
    select n.run_id as "runId", n.key as "nodeKey", r.pipeline_id as "pipelineId", n.state, n.generation, n.attempt_no as "attemptNo",
      n.error_code as "errorCode", coalesce(n.worker_id, (
        select a.worker_id from attempts a where a.run_id = n.run_id and a.node_key = n.key and a.worker_id is not null
        order by a.generation desc, a.no desc limit 1
      )) as "workerId"
    from runs r join node_runs n on n.run_id = r.id
    where r.id = ${runId}::uuid and r.project_id = ${projectId}::uuid and n.run_id = ${runId}::uuid and n.key = ${nodeKey}
  `);
  if (!row) return null;
  const { errorCode, ...node } = row;
  return { node, errorCode };
}

const MISSING: Readonly<Record<SubjectKind, string>> = {
  node: "this check looks at a node: name its run and its key",
  code: "this check looks at an error code: name one, or a node that failed with one",
  worker: "this check looks at a worker: name one, or a node that ran on one",
};

/** Refuses a check whose subject is not there, and says what is missing. */
export function missingSubject(kind: SubjectKind): DomainError {
  const path = { node: "runId", code: "code", worker: "workerId" }[kind];
  return new DomainError("invalid_input", MISSING[kind], {
    issues: [{ path: `subject.${path}`, code: "required", message: MISSING[kind] }],
  });
}
