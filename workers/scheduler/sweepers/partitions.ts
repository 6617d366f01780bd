import { ensurePartitions } from "@/server/engine/partitions/ensure-partitions";
import type { LeaderDuty } from "../wheel-loop";

/** Makes the partitions of coming months. */
export const partitions: LeaderDuty = { name: "partitions", everyMs: 3_600_000, run: ensurePartitions };
