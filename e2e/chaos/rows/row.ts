import type { Random } from "../rig/random";
import type { Backend, Rig } from "../rig/rig";

/** A time that was measured, and what was promised of it. */
export interface Measure {
  readonly name: string;
  readonly ms: number;
  readonly limitMs: number | null;
}

/** What a row works with. */
export interface Stage {
  readonly rig: Rig;
  readonly random: Random;
  /** How long a process is stopped or cut: 60 s, or 14 s in the short version. */
  readonly stopMs: number;
  readonly isShort: boolean;
  measure(name: string, ms: number, limitMs?: number): void;
  /** Something that the row expects of the product beside the invariants. */
  expect(holds: boolean, what: string, evidence?: unknown): void;
  note(text: string): void;
}

export interface Row {
  /** F: of the fault matrix. R: a replay of what people have seen happen. */
  readonly id: string;
  readonly title: string;
  /** Part of the short version, which `npm test` runs. */
  readonly short: boolean;
  readonly only?: Backend;
  /** Where the short version plays it; on both where nothing is said. */
  readonly shortOn?: Backend;
  /** Why it cannot be run on this machine, or null. */
  readonly impossible?: () => string | null;
  readonly run: (stage: Stage) => Promise<void>;
}
