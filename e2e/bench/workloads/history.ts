import type { Engine } from "../engine";
import { fillHistory } from "../fill-history";
import type { Measured, Workload } from "../workload";
import { chain, LENGTH } from "./chain";

const NODE_RUNS = 5_000_000;

/** In turn, so that a slow minute of the machine slows both. */
const TURNS = ["empty", "full", "full", "empty", "empty", "full"] as const;

/** `chain` on full tables, against `chain` on empty ones in the same minute. */
export const history: Workload = {
  key: "history",
  what: "`chain` with 5,000,000 finished node runs in the tables",
  unit: "steps",
  peers: [],
  ours: async (engine, size) => {
    const full = await size.another("history", (made) => fill(made, size.scale));
    try {
      const measured = { empty: [] as Measured[], full: [] as Measured[] };
      // A chain of fewer runs is over before it can be measured.
      const whole = { ...size, scale: 1 };
      for (const turn of TURNS) measured[turn].push(await chain.ours(turn === "full" ? full : engine, whole));
      const { cpu, units } = measured.full.at(-1) as Measured;
      const beside = { name: "the same on empty tables", figures: { rate: rateOf(measured.empty) } };
      return { figures: { rate: rateOf(measured.full) }, cpu: cpu ?? {}, units: units ?? 1, beside };
    } finally {
      await full.close();
    }
  },
};

/** Of runs of one size, all together. */
const rateOf = (measured: readonly Measured[]): number =>
  measured.length / measured.reduce((sum, { figures }) => sum + 1 / (figures.rate ?? Number.NaN), 0);

async function fill(engine: Engine, scale: number): Promise<void> {
  await chain.ours(engine, { scale: 0.05, backend: "postgres", another: () => Promise.reject(new Error("one is enough")) });
  await fillHistory(engine.sql, Math.round((NODE_RUNS * scale) / LENGTH));
}
