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
  const { database, leader, workers } = await platformHealth(ctx);
  const live = workers.filter(({ alive }) => alive).map(({ id, groups, slots, refusing }) => ({ id, groups, slots, refusing }));
  const ok = database === "ok" && leader !== null;
  const body = {
    status: ok ? "ok" : "degraded",
    bootId: world.bootId,
    database,
    leader: leader ? { holder: leader.holder, epoch: leader.epoch } : null,
    workers: live,
  };
  return Response.json(body, { status: ok ? 200 : 503, headers });
}
