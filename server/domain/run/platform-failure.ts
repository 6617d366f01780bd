import { PLATFORM_CODES } from "../errors/code";
import type { AttemptFailure } from "./model";

/** Codes of the platform itself for what happens to a node from outside. */
export const NODE_FAULTS = {
  workerLost: "APOLLO_WORKER_LOST_503",
  timeout: "APOLLO_NODE_TIMEOUT_504",
  deadline: "APOLLO_NODE_DEADLINE_504",
  stalled: "APOLLO_NODE_STALLED_504",
  waitInvalid: "APOLLO_WAIT_UNTIL_422",
  outputTooLarge: PLATFORM_CODES.outputTooLarge,
  outputInvalid: PLATFORM_CODES.outputInvalid,
} as const;
export type NodeFault = keyof typeof NODE_FAULTS;

const REPEATED_IN_VAIN: ReadonlySet<NodeFault> = new Set(["waitInvalid", "outputTooLarge", "outputInvalid"]);

export const platformFailure = (fault: NodeFault, message: string): AttemptFailure => ({
  code: NODE_FAULTS[fault],
  message,
  stack: null,
  stackHash: null,
  retryable: !REPEATED_IN_VAIN.has(fault),
  context: {},
  retryAfterMs: null,
});
