import { and, eq, isNull, sql } from "drizzle-orm";
import type { Executor, Tx } from "@/db/client";
import { projects } from "@/db/schema/access";
import { alerts } from "@/db/schema/alerts";
import type { Occurrence } from "@/server/domain/alert/model";
import { judgeLeader } from "@/server/domain/alert/silence-alarm";
import { DomainError } from "@/server/domain/failure";
import { sendLeaderless } from "@/server/engine/channels/send-due";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { SCHEDULER_LEASE } from "@/server/engine/leadership/lease-timing";
import { storedNow } from "@/server/engine/stored-clock";
import { byProject } from "./by-project";
import { decideIn, decideLeaderless } from "./decide-new";
import { lockAlerts } from "./lock-alerts";
import { releaseLeaderless } from "./release-held";

const TASK = "leader";

interface Lease {
  readonly holder: string | null;
  readonly goneMs: number | null;
}

/**
 * The watch over the watcher (ALT-5): where no scheduler has led for a while, a process that is none opens one alert in each
 * project, decides on what fails and sends what waits, since nobody else does. The next leader finds it over. Harmless from any number of processes.
 */
export async function watchLeader(ctx: Ctx): Promise<{ readonly raised: number; readonly sent: number }> {
  const lease = await readLease(ctx.db);
  const alarm = judgeLeader(lease);
  if (!alarm) return { raised: 0, sent: 0 };
  const all = await ctx.db.select({ projectId: projects.id }).from(projects).orderBy(projects.id);
  const raised = await byProject(ctx, all, (id) =>
    inTransaction(ctx, async (tx) => {
      // Two processes that look at once take turns, and the second finds the first one's alert.
      await lockAlerts(tx, id);
      if (judgeLeader(await readLease(tx)) === null || (await isKnown(tx, id))) return 0;
      const at = await storedNow(ctx, tx);
      const occurrence: Occurrence = {
        ...{ ref: `silence/${TASK}/${at.getTime()}`, at, code: alarm.code, message: alarm.message, kind: "silence", suspended: false },
        object: { task: TASK, runId: null, nodeKey: null, pipelineId: null, label: "scheduler", owner: null },
        taskClass: "basic",
        codeGrade: null,
        health: { runs: 0, unhealthy: 0, inARow: 0 },
      };
      await decideIn(ctx, tx, id, [occurrence], new Map([[TASK, alarm.checks]]));
      return 1;
    }),
  );
  return { raised, sent: await actInStead(ctx) };
}

/** What fails without a leader, as what workers still report, is decided on and sent all the same. */
async function actInStead(ctx: Ctx): Promise<number> {
  try {
    await decideLeaderless(ctx);
    await releaseLeaderless(ctx);
    return (await sendLeaderless(ctx)).count;
  } catch (error) {
    // A scheduler leads again, and does the rest.
    if (error instanceof DomainError && error.code === "stale") return 0;
    throw error;
  }
}

async function readLease(db: Executor): Promise<Lease> {
  const [row] = await db.execute<{ holder: string; gone_ms: number }>(sql`
    select holder, (extract(epoch from clock_timestamp() - expires_at) * 1000)::float8 as gone_ms from leases where name = ${SCHEDULER_LEASE}
  `);
  return { holder: row?.holder ?? null, goneMs: row?.gone_ms ?? null };
}

const isKnown = async (tx: Tx, projectId: string): Promise<boolean> =>
  (await tx.$count(alerts, and(eq(alerts.projectId, projectId), eq(alerts.key, `silence:${TASK}`), isNull(alerts.resolvedAt)))) > 0;
