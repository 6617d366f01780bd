import type { Engine } from "../engine";
import { fillHistory } from "../fill-history";
import type { Figures, Measured, Workload } from "../workload";
import { chain, LENGTH } from "./chain";

const NODE_RUNS = 5_000_000;

/** `chain` on full tables, against `chain` on empty ones right before it. */
export const history: Workload = {
  key: "history",
  what: "`chain` with 5,000,000 finished node runs in the tables",
  unit: "steps",
  peers: [],
  ours: async (engine, size) => {
    const empty = await chain.ours(engine, size);
    await engine.close();
    const full = await size.another("history", (made) => fill(made, size.scale));
    try {
      const measured: Measured = await chain.ours(full, size);
      return { ...measured, beside: { name: "the same on empty tables", figures: empty.figures as Figures } };
    } finally {
      await full.close();
    }
  },
};

async function fill(engine: Engine, scale: number): Promise<void> {
  await chain.ours(engine, { scale: 0.05, backend: "postgres", another: () => Promise.reject(new Error("one is enough")) });
  await fillHistory(engine.sql, Math.round((NODE_RUNS * scale) / LENGTH));
}
