import type { Log } from "@/server/engine/context";
import { judgePressure, type Reading, Vitals } from "./pressure";

export interface MachineWatchOptions {
  read(): Promise<Reading>;
  onChange(refusing: "disk" | "memory" | null): void;
  readonly log: Log;
}

/** Looks at disk and memory, and says when the worker should take no new node (WRK-3). */
export class MachineWatch {
  #options: MachineWatchOptions;
  #vitals = new Vitals();
  #reading: Reading = { diskUsed: null, memoryUsed: null };
  #refusing: "disk" | "memory" | null = null;

  constructor(options: MachineWatchOptions) {
    this.#options = options;
  }

  get refusing(): "disk" | "memory" | null {
    return this.#refusing;
  }

  report(): Record<string, unknown> {
    return this.#vitals.report(this.#reading);
  }

  async look(): Promise<void> {
    await this.#vitals.refresh();
    this.#reading = await this.#options.read();
    const refusing = judgePressure(this.#reading, this.#refusing);
    if (refusing === this.#refusing) return;
    this.#refusing = refusing;
    const said = refusing ? "the worker takes no new node: the machine is too full" : "the worker takes nodes again";
    this.#options.log.warn({ refusing, ...this.#reading }, said);
    this.#options.onChange(refusing);
  }

  stop(): void {
    this.#vitals.stop();
  }
}
