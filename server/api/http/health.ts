import { platformHealth } from "@/server/engine/health/report-health";
import { sourceOf } from "../request-ctx";
import { theWorld, type World } from "../world";

/** Open to anyone and names nothing of a project: whether this process reaches the database, who leads, which workers live. */
export async function handleHealth(request: Request, given?: World): Promise<Response> {
  const headers = { "cache-control": "no-store" };
  let world: World;
  try {
    world = given ?? theWorld();
  } catch {
    return Response.json({ status: "starting", bootId: null, database: "unknown", leader: null, workers: [] }, { status: 503, headers });
  }
  const ctx = world.ctx({ kind: "anonymous" }, sourceOf(world, request, "system"));
  const { database, leader, workers, queue, oldestReadyMs, oldestOverdueMs, unread } = await platformHealth(ctx);
  const live = workers
    .filter(({ alive }) => alive)
    // What ails one is for those who are signed in.
    .map(({ id, groups, slots, refusing, trouble }) => ({ id, groups, slots, refusing, troubled: trouble !== null }));
  const ok = database === "ok" && leader !== null;
  const body = {
    status: ok ? "ok" : "degraded",
    bootId: world.bootId,
    database,
    leader: leader && {
      holder: leader.holder,
      epoch: leader.epoch,
      wheelLagMs: leader.wheelLagMs,
      failing: leader.failing.map(({ name }) => name),
    },
    workers: live,
    queue,
    oldestReadyMs,
    oldestOverdueMs,
    unread,
  };
  return Response.json(body, { status: ok ? 200 : 503, headers });
}
