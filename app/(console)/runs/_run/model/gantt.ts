import type { AttemptView, NodeView } from "../../views";
import { inOrder } from "./attempts";

export interface GanttBar {
  key: string;
  /** `waits` in the queue, `works`, or `rests` between a failure and its retry. */
  kind: "waits" | "works" | "rests";
  state: AttemptView["state"];
  generation: number;
  no: number;
  startMs: number;
  endMs: number;
  /** It still goes on. */
  open: boolean;
}

export interface GanttRow {
  key: string;
  bars: readonly GanttBar[];
}

export interface Gantt {
  fromMs: number;
  toMs: number;
  ticksMs: readonly number[];
  rows: readonly GanttRow[];
}

type Node = Pick<NodeView, "key" | "state" | "times" | "attempts">;

const STEPS_MS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 900_000, 1_800_000,
  3_600_000, 7_200_000, 14_400_000, 21_600_000, 43_200_000, 86_400_000,
] as const;
const DAY_MS = 86_400_000;

/** Whole steps from the start, so that about `wanted` of them fit; they count from zero as a stopwatch does. */
export function ticksOf(fromMs: number, toMs: number, wanted = 6): number[] {
  const span = Math.max(1, toMs - fromMs);
  const step = STEPS_MS.find((each) => span / each <= wanted) ?? Math.ceil(span / wanted / DAY_MS) * DAY_MS;
  return Array.from({ length: Math.floor(span / step) + 1 }, (_, n) => fromMs + n * step);
}

function barsOfAttempt(attempt: AttemptView, nowMs: number): GanttBar[] {
  const { queuedAt, dispatchedAt, pickedUpAt, executingAt, committedAt } = attempt.times;
  const begun = (executingAt ?? pickedUpAt ?? dispatchedAt).getTime();
  const open = attempt.outcome === null;
  const same = { state: attempt.state, generation: attempt.generation, no: attempt.no };
  const name = `${attempt.generation}.${attempt.no}`;
  const works: GanttBar = {
    ...same,
    key: `${name} works`,
    kind: "works",
    startMs: begun,
    endMs: Math.max(begun, open ? nowMs : (committedAt?.getTime() ?? begun)),
    open,
  };
  if (!queuedAt || queuedAt.getTime() >= begun) return [works];
  return [{ ...same, key: `${name} waits`, kind: "waits", startMs: queuedAt.getTime(), endMs: begun, open: false }, works];
}

function barsOf(node: Node, nowMs: number): GanttBar[] {
  const ordered = inOrder(node.attempts);
  const last = ordered.at(-1);
  const bars: GanttBar[] = [];
  for (const [index, attempt] of ordered.entries()) {
    const own = barsOfAttempt(attempt, nowMs);
    const next = ordered[index + 1];
    const ended = own.at(-1)?.endMs ?? 0;
    bars.push(...own);
    const restsUntil = next ? (next.times.queuedAt ?? next.times.dispatchedAt).getTime() : null;
    if (next && restsUntil !== null && next.generation === attempt.generation && restsUntil > ended) {
      bars.push({
        generation: next.generation,
        no: next.no,
        key: `${next.generation}.${next.no} rests`,
        kind: "rests",
        state: "RETRYING",
        startMs: ended,
        endMs: restsUntil,
        open: false,
      });
    }
  }
  const idle = { generation: last?.generation ?? 1, no: (last?.no ?? 0) + 1, endMs: nowMs, open: true };
  if (node.state === "RETRYING" && last?.times.committedAt) {
    bars.push({ ...idle, key: "next rests", kind: "rests", state: "RETRYING", startMs: last.times.committedAt.getTime() });
  }
  if (node.state === "QUEUED" && node.times.queuedAt) {
    bars.push({ ...idle, key: "next waits", kind: "waits", state: "QUEUED", startMs: node.times.queuedAt.getTime() });
  }
  if (bars.length === 0 && node.times.startedAt) {
    const startMs = node.times.startedAt.getTime();
    const endMs = Math.max(startMs, node.times.endedAt?.getTime() ?? nowMs);
    bars.push({ key: "alone", kind: "works", state: node.state, generation: 1, no: 1, startMs, endMs, open: node.times.endedAt === null });
  }
  return bars.map((bar) => ({ ...bar, endMs: Math.max(bar.startMs, bar.endMs) }));
}

/** Bars of every attempt over the whole run, in the order of the nodes; pure, so that `nowMs` comes in. */
export function layOutGantt(nodes: readonly Node[], run: { startMs: number; endMs: number | null }, nowMs: number, ticks = 6): Gantt {
  const rows = nodes.map((node) => ({ key: node.key, bars: barsOf(node, nowMs) }));
  const all = rows.flatMap((row) => row.bars);
  const fromMs = Math.min(run.startMs, ...all.map((bar) => bar.startMs));
  const goesOn = all.length === 0 || all.some((bar) => bar.open);
  const toMs = Math.max(fromMs + 1, run.endMs ?? (goesOn ? nowMs : fromMs), ...all.map((bar) => bar.endMs));
  return { fromMs, toMs, ticksMs: ticksOf(fromMs, toMs, ticks), rows };
}

/** Where an instant lies, from 0 to 1. */
export const shareAt = (gantt: Pick<Gantt, "fromMs" | "toMs">, ms: number): number =>
  Math.max(0, Math.min(1, (ms - gantt.fromMs) / (gantt.toMs - gantt.fromMs)));
