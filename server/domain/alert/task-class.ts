import type { Grade } from "./grade";

/** How much a pipeline's failures matter (ALT-3). */
export const TASK_CLASSES = ["basic", "core", "long_running"] as const;
export type TaskClass = (typeof TASK_CLASSES)[number];

/** How the newest runs of a pipeline ended. */
export interface PipelineHealth {
  readonly runs: number;
  /** Those that failed, or wait for a person because of a node that did (ALT-7). */
  readonly unhealthy: number;
  /** How many of the newest ended badly one after another. */
  readonly inARow: number;
}

const BASIC_RATE = 0.15;
const CORE_RATE = 0.001;
const CORE_IN_A_ROW = 2;
/** A rate of fewer runs says nothing about a basic pipeline. */
const BASIC_RUNS = 5;
/** A long-running node without a sign of progress for so long is stalled. */
export const STALLED_AFTER_MS = 4 * 3_600_000;

/** The grade that a pipeline's class gives to its failures now; null where its bound is kept. */
export function classGrade(taskClass: TaskClass, health: PipelineHealth, inWorkingHours: boolean): Grade | null {
  const rate = health.runs === 0 ? 0 : health.unhealthy / health.runs;
  switch (taskClass) {
    case "basic":
      return inWorkingHours && health.runs >= BASIC_RUNS && rate >= BASIC_RATE ? "P3" : null;
    case "core":
      return rate >= CORE_RATE && health.inARow >= CORE_IN_A_ROW ? "P1" : null;
    case "long_running":
      return null;
  }
}
