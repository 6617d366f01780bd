import { z } from "zod";

const settingsSchema = z.strictObject({
  /** A path such as /orders/export, or * for every path without settings of its own. */
  endpoint: z.string().regex(/^(\/[\w/.-]*|\*)$/),
  /** Share of the calls that fail, 0 to 1. */
  failureRate: z.number().min(0).max(1).optional(),
  /** Fails every call until it is set back. */
  down: z.boolean().optional(),
  /** What a failing call answers. */
  status: z.int().min(400).max(599).optional(),
  latencyMs: z.int().min(0).max(600_000).optional(),
});

export interface Behaviour {
  readonly failureRate: number;
  readonly down: boolean;
  readonly status: number;
  readonly latencyMs: number;
}

const USUAL: Behaviour = { failureRate: 0, down: false, status: 503, latencyMs: 60 };
/** The branch of the demo that fails until somebody repairs it. */
const AT_START: readonly [string, Behaviour][] = [["/legacy/ledger", { ...USUAL, down: true }]];

/** How each endpoint behaves; changed while everything runs, to see what the pipelines make of it. */
export class Control {
  #byEndpoint = new Map<string, Behaviour>(AT_START);

  behaviourOf(path: string): Behaviour {
    return this.#byEndpoint.get(path) ?? this.#byEndpoint.get("*") ?? USUAL;
  }

  list(): Readonly<Record<string, Behaviour>> {
    return { "*": USUAL, ...Object.fromEntries(this.#byEndpoint) };
  }

  /** Null when the input is no setting; the text says why. */
  set(
    input: unknown,
  ): { readonly ok: true; readonly endpoint: string; readonly behaviour: Behaviour } | { readonly ok: false; readonly message: string } {
    const parsed = settingsSchema.safeParse(input);
    if (!parsed.success) return { ok: false, message: z.prettifyError(parsed.error) };
    const { endpoint, ...changes } = parsed.data;
    const behaviour = { ...this.behaviourOf(endpoint), ...changes };
    this.#byEndpoint.set(endpoint, behaviour);
    return { ok: true, endpoint, behaviour };
  }

  reset(): void {
    this.#byEndpoint = new Map(AT_START);
  }
}
