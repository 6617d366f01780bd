import { type FoundLost, findLost } from "@/db/statements/state/recover";
import { platformFailure } from "@/server/domain/run/platform-failure";
import { type Recover, sweep } from "./recover";

/** Takes nodes from workers that have died, hung or been replaced, and queues them for another. */
export const recoverLostWorkers: Recover = (ctx, fence, options = {}) =>
  sweep(ctx, fence, options, findLost, (lost) => ({
    kind: "workerLost",
    key: lost.key,
    token: lost.token,
    failure: { ...platformFailure("workerLost", why(lost)), deaths: lost.deaths + 1 },
  }));

const why = ({ workerId, restarted }: FoundLost): string =>
  restarted
    ? `worker ${workerId} was started anew while this node ran; how far the attempt came is unknown`
    : `worker ${workerId} stopped renewing its lease while this node ran; how far the attempt came is unknown`;
