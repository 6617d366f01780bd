import type { Ctx } from "@/server/engine/context";
import type { Lane } from "./lease-keeper";
import type { Reading } from "./pressure";

export interface RunnerOptions {
  /** Its `db` is the pool as it is now. */
  readonly ctx: Ctx;
  /** Gives up a pool that did not answer for a new one. */
  renewPool(dead: Ctx["db"]): void;
  /** How long a claim or a settle may take. */
  readonly answerLimitMs?: number;
  openLane(purpose: "lease" | "logs"): Lane;
  readonly id: string;
  readonly groups: readonly string[];
  readonly slots: number;
  readonly dataDir: string;
  readonly drainMs: number;
  /** What children may see of this process's environment. */
  readonly inherited: Readonly<Record<string, string>>;
  readonly handlers: {
    /** child.mjs, or child.ts where the sources are run. */
    readonly entry: string;
    readonly execArgv: readonly string[];
    readonly folders: readonly string[];
    readonly processes: number;
  };
  /** How far this process's clock is ahead of the database's. */
  clockOffsetMs(): Promise<number>;
  readonly clockWatchMs?: number;
  readonly readPressure?: () => Promise<Reading>;
}
