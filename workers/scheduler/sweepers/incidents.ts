import { groupNew } from "@/server/engine/incidents/group-new";
import type { LeaderDuty } from "../wheel-loop";

/** Puts alerts that are new or have changed into incidents. */
export const newIncidents: LeaderDuty = { name: "incidents", everyMs: 2_000, tellsOnly: true, run: groupNew };
