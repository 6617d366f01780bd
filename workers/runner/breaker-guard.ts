import type { WorkerLease } from "@/server/domain/run/work";
import { reportProbe } from "@/server/engine/breaker/report-probe";
import type { Log } from "@/server/engine/context";
import { rootMessage } from "@/server/engine/root-cause";
import type { BreakerOrder } from "@/server/engine/workers/renew-worker";
import type { Ask } from "./ask";
import type { Probed } from "./handlers/probe-pool";

export interface BreakerGuardOptions {
  readonly log: Log;
  readonly ask: Ask;
  lease(): WorkerLease | null;
  probe(probeId: string): Promise<Probed>;
  onChange(): void;
}

/** Does what the worker's breaker says, as it hears it with each renewal: takes no node, and shows that it works when asked. */
export class BreakerGuard {
  #options: BreakerGuardOptions;
  #takesNone = false;
  #probing: string | null = null;

  constructor(options: BreakerGuardOptions) {
    this.#options = options;
  }

  get takesNone(): boolean {
    return this.#takesNone;
  }

  hear({ takesNone, probeId }: BreakerOrder): void {
    if (takesNone !== this.#takesNone) {
      this.#takesNone = takesNone;
      const said = takesNone
        ? "the worker's breaker is not closed: it takes no new node"
        : "the worker's breaker is closed: it takes nodes again";
      this.#options.log.warn({ takesNone }, said);
      this.#options.onChange();
    }
    if (probeId !== null && probeId !== this.#probing) void this.#answer(probeId);
  }

  async #answer(probeId: string): Promise<void> {
    const { log, ask, lease, probe, onChange } = this.#options;
    this.#probing = probeId;
    try {
      const probed = await probe(probeId);
      const current = lease();
      if (!current) throw new Error("the worker holds no lease");
      const taken = await ask("probe", (asking) => reportProbe(asking, current, { probeId, ...probed }));
      if (!taken) this.#probing = null;
      log.info({ ...probed, taken }, "the worker was probed");
      onChange();
    } catch (error) {
      // Asked again with the next renewal, until the engine takes it as failed.
      this.#probing = null;
      log.warn({ error: rootMessage(error) }, "what a probe came to could not be told");
    }
  }
}
