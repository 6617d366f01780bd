import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { TimingWheel } from "@/server/domain/wheel/timing-wheel";
import { rounded } from "../figures";
import type { Measured, Workload } from "../workload";

const TIMERS = 1_000_000;
const START_MS = Date.UTC(2026, 0, 1);
const SPREAD_MS = 600_000;
const TICK_MS = 100;

/** Scattered, the same at every run. */
const dueOf = (index: number) => START_MS + ((index * 2_654_435_761) % SPREAD_MS);

/** The wheel's data structure by itself: an operation is an insert, a cancel, or a timer that comes up. */
export const wheel: Workload = {
  key: "wheel",
  what: "1,000,000 timers inserted, half cancelled, all ticked",
  unit: "operations",
  peers: [],
  inProcess: async () => measureWheel(),
  ours: () => Promise.reject(new Error("the wheel needs no database")),
};

function measureWheel(): Measured {
  const before = heldBytes();
  const turned = new TimingWheel<number>(START_MS);
  const handles = new Float64Array(TIMERS);
  const begunMs = performance.now();
  for (let index = 0; index < TIMERS; index++) handles[index] = turned.insert(dueOf(index), index);
  const insertedMs = performance.now();
  const held = heldBytes() - before - handles.byteLength;
  const resumedMs = performance.now();
  let cancelled = 0;
  for (let index = 0; index < TIMERS; index += 2) if (turned.cancel(handles[index] ?? 0)) cancelled++;
  let fired = 0;
  for (let atMs = START_MS; atMs <= START_MS + SPREAD_MS; atMs += TICK_MS) fired += turned.advance(atMs).length;
  const tookMs = performance.now() - resumedMs + (insertedMs - begunMs);
  if (cancelled + fired !== TIMERS) throw new Error(`${cancelled} were cancelled and ${fired} came up, of ${TIMERS}`);
  const rate = ((TIMERS + cancelled + fired) / tookMs) * 1_000;
  return { figures: { rate }, notes: { bytesPerTimer: rounded(held / TIMERS) } };
}

/** What is held once everything that nobody holds is gone. */
function heldBytes(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
