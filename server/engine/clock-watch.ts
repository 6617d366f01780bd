/** A process whose clock is farther off than this would lease, expire and plan at the wrong moments. */
export const MAX_CLOCK_OFFSET_MS = 2_000;
/** The gap keeps a clock at the mark from flapping. */
const WELL_AGAIN_MS = 1_500;

export interface ClockWatchOptions {
  /** How far the process's clock is ahead of the database's, by what is certain. */
  measure(): Promise<number>;
  /** Called with how far it is off when it goes astray, and with null when it is right again. */
  onChange(offsetMs: number | null): void;
}

/** Looks at the clock of a process that runs: one that was right at the start may drift or be set (P22). */
export class ClockWatch {
  #options: ClockWatchOptions;
  #isAstray = false;

  constructor(options: ClockWatchOptions) {
    this.#options = options;
  }

  get isAstray(): boolean {
    return this.#isAstray;
  }

  /** A look that fails changes nothing: others notice that the database is away. */
  async look(): Promise<void> {
    const offsetMs = await this.#options.measure().catch(() => null);
    if (offsetMs === null) return;
    const isAstray = Math.abs(offsetMs) > (this.#isAstray ? WELL_AGAIN_MS : MAX_CLOCK_OFFSET_MS);
    if (isAstray === this.#isAstray) return;
    this.#isAstray = isAstray;
    this.#options.onChange(isAstray ? offsetMs : null);
  }
}
