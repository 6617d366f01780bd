import type { Clock } from "@/server/engine/context";
import { heldAlerts, newAlerts, recoveredAlerts } from "./sweepers/alerts";
import { breakers } from "./sweepers/breakers";
import { dependencyCalls, rootCauses } from "./sweepers/counting";
import { alertDeliveries } from "./sweepers/deliveries";
import { dueFires } from "./sweepers/due-fires";
import { dueRetries } from "./sweepers/due-retries";
import { elapsedWaits } from "./sweepers/elapsed-waits";
import { expiredAccess } from "./sweepers/expired-access";
import { forgottenRings } from "./sweepers/forgotten-rings";
import { hostClock } from "./sweepers/host-clock";
import { newIncidents } from "./sweepers/incidents";
import { lostWorkers } from "./sweepers/lost-workers";
import { movedLetters } from "./sweepers/moved-letters";
import { overdueAttempts } from "./sweepers/overdue-attempts";
import { overdueDeadlines } from "./sweepers/overdue-deadlines";
import { owedFires } from "./sweepers/owed-fires";
import { partitions } from "./sweepers/partitions";
import { replacedRuns } from "./sweepers/replaced-runs";
import { retention } from "./sweepers/retention";
import { silenceWatch } from "./sweepers/silences";
import { stalledAttempts, stuckRetries } from "./sweepers/stuck-retries";
import { failureBounds, valveClosings, valveReleases } from "./sweepers/valves";
import { waitingRuns } from "./sweepers/waiting-runs";
import { webhookDeliveries, webhookEvents } from "./sweepers/webhooks";
import type { LeaderDuty, LeaderTools } from "./wheel-loop";

/** All that a leader has to do; it does all of it, or it does not lead (B43). */
export const leaderDuties =
  (host: Clock) =>
  (tools: LeaderTools): readonly LeaderDuty[] => [
    dueFires(tools),
    dueRetries,
    stuckRetries,
    stalledAttempts,
    elapsedWaits,
    overdueAttempts,
    overdueDeadlines,
    lostWorkers,
    breakers,
    valveClosings,
    valveReleases,
    failureBounds,
    waitingRuns,
    forgottenRings,
    replacedRuns,
    owedFires,
    movedLetters,
    newAlerts(tools),
    heldAlerts,
    recoveredAlerts,
    newIncidents,
    silenceWatch(),
    alertDeliveries(),
    webhookEvents(tools),
    webhookDeliveries,
    rootCauses,
    dependencyCalls,
    expiredAccess,
    partitions,
    retention,
    hostClock(host),
  ];
