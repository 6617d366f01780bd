import { appendLogs, type LogChunk } from "@/server/engine/attempts/append-logs";
import type { Ctx } from "@/server/engine/context";
import type { RenewableLine } from "@/server/engine/renewable-line";
import { asker } from "./ask";
import type { Lane } from "./lease-keeper";

/** Stores logs by a line of their own, so that a flood of them holds up no work. */
export function appendBy(ctx: Ctx, lane: RenewableLine<Lane>, limitMs: number): (chunks: readonly LogChunk[]) => Promise<void> {
  const current = {
    ...ctx,
    get db() {
      return lane.current.db;
    },
  };
  const ask = asker({ ctx: current, limitMs, giveUp: lane.renew });
  return (chunks) => ask("logs", (asking) => appendLogs(asking, chunks));
}
