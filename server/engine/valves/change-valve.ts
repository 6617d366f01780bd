import { eq } from "drizzle-orm";
import { z } from "zod";
import { valves } from "@/db/schema/valves";
import { roleIn } from "@/server/domain/access/roles";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { moveValve, rateSchema, type ValveEvent } from "@/server/domain/valve/valve";
import { authorise, authorisePlatform, refuseAnonymous } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { reasonSchema } from "@/server/engine/runs/intervention";
import { storedNow } from "@/server/engine/stored-clock";
import { loadValveView, lockValve, type ValveView, valveNotFound, valveOf } from "./valve-row";

const placeSchema = z.strictObject({
  no: z.int().min(1),
  reason: reasonSchema,
  /** The revision that was looked at; refused where the valve was changed since. Left out, it is not compared. */
  revision: z.int().min(1).optional(),
});
export const stopReleaseSchema = placeSchema;
export const releaseValveSchema = placeSchema.extend({ rate: rateSchema });

/** Lets what a valve holds go, so many a minute; once more with another rate, it goes on with that (RUN-12). */
export async function releaseValve(ctx: Ctx, given: z.input<typeof releaseValveSchema>): Promise<ValveView> {
  const { rate, ...place } = parseInput(releaseValveSchema, given);
  return changeValve(ctx, place, { kind: "releaseRequested", rate }, "valve.release");
}

/** Stops a release: what is still held stays so. */
export async function stopRelease(ctx: Ctx, given: z.input<typeof stopReleaseSchema>): Promise<ValveView> {
  return changeValve(ctx, parseInput(stopReleaseSchema, given), { kind: "stopRequested" }, "valve.stopRelease");
}

async function changeValve(
  ctx: Ctx,
  { no, reason, revision }: z.output<typeof placeSchema>,
  event: ValveEvent,
  verb: string,
): Promise<ValveView> {
  refuseAnonymous(ctx);
  const projectId = await inTransaction(ctx, async (tx) => {
    const row = await lockValve(tx, no);
    if (!row || (row.projectId !== null && roleIn(ctx.principal, row.projectId) === null)) throw valveNotFound(no);
    if (row.projectId === null) authorisePlatform(ctx);
    else authorise(ctx, row.projectId, "valve.manage");
    if (revision !== undefined && revision !== row.revision) {
      throw new DomainError("stale", `valve #${no} was changed meanwhile: it is ${row.state} now. Look at it again.`, {
        details: { no, state: row.state },
      });
    }
    const next = moveValve(valveOf(row), event, await storedNow(ctx, tx));
    await tx
      .update(valves)
      .set({ ...next, revision: row.revision + 1 })
      .where(eq(valves.no, no));
    await writeAudit(tx, ctx, {
      projectId: row.projectId,
      verb,
      object: { kind: "valve", id: String(no), label: row.label },
      reason,
      before: { state: row.state, rate: row.rate },
      after: { state: next.state, rate: next.rate },
    });
    return row.projectId;
  });
  if (projectId) ctx.ports.live.changed(projectId);
  return loadValveView(ctx.db, no);
}
