/** Nothing is said of fewer (RTY-4). */
export const MIN_SAMPLES = 20;
/** Of the two-sided 95 % interval. */
const Z = 1.959964;
/** Where not even the upper end reaches this, trying again is in vain. */
const IN_VAIN = 0.05;
/** So many have to fail without one that helped before that can be said. */
const MIN_IN_VAIN = 73;

/** Spans of delay that are told apart: from `minMs` up to the next. */
export const DELAY_SPANS_MS = [0, 1_000, 5_000, 30_000, 120_000, 600_000] as const;

/** Retries of one node after one code that came after about the same delay. */
export interface RetrySample {
  readonly retryNo: number;
  readonly span: number;
  readonly tried: number;
  readonly helped: number;
  /** The middle one of their delays. */
  readonly medianMs: number;
}

export interface Interval {
  readonly low: number;
  readonly high: number;
}

export interface SpanAdvice extends RetrySample {
  readonly rate: number;
  readonly interval: Interval;
}

export type Advice =
  | { readonly kind: "too_few"; readonly samples: number; readonly missing: number }
  | { readonly kind: "stop"; readonly samples: number; readonly spans: readonly SpanAdvice[]; readonly saved: Saved }
  | {
      readonly kind: "delays";
      readonly samples: number;
      readonly spans: readonly SpanAdvice[];
      /** The delay before retry 1, 2, …, in milliseconds. */
      readonly delaysMs: readonly number[];
      readonly saved: Saved;
    };

/** What the suggestion would have spared, had it held over the same history. */
export interface Saved {
  readonly attempts: number;
  readonly waitMs: number;
}

export const spanOf = (delayMs: number): number => DELAY_SPANS_MS.findLastIndex((minMs) => delayMs >= minMs);

/** Wilson's interval of a share: it holds for few samples and for shares near 0 and 1. */
export function shareInterval(helped: number, tried: number): Interval {
  if (tried === 0) return { low: 0, high: 1 };
  const share = helped / tried;
  const z2 = Z * Z;
  const middle = share + z2 / (2 * tried);
  const half = Z * Math.sqrt((share * (1 - share)) / tried + z2 / (4 * tried * tried));
  const whole = 1 + z2 / tried;
  return { low: Math.max(0, (middle - half) / whole), high: Math.min(1, (middle + half) / whole) };
}

/**
 * Which delays a node's history with a code speaks for (RTY-4). Of each retry, the shortest delay counts whose share of
 * success is not clearly worse than the best one's; a retry that is not known often enough takes the delay before it.
 */
export function adviseRetries(samples: readonly RetrySample[]): Advice {
  const total = samples.reduce((sum, { tried }) => sum + tried, 0);
  if (total < MIN_SAMPLES) return { kind: "too_few", samples: total, missing: MIN_SAMPLES - total };
  const spans = samples
    .map((sample) => ({ ...sample, rate: sample.helped / sample.tried, interval: shareInterval(sample.helped, sample.tried) }))
    .toSorted((a, b) => a.retryNo - b.retryNo || a.span - b.span);
  const helped = samples.reduce((sum, sample) => sum + sample.helped, 0);
  if (shareInterval(helped, total).high < IN_VAIN) {
    const waitMs = samples.reduce((sum, { tried, medianMs }) => sum + tried * medianMs, 0);
    return { kind: "stop", samples: total, spans, saved: { attempts: total, waitMs: Math.round(waitMs) } };
  }
  if (helped === 0) return { kind: "too_few", samples: total, missing: MIN_IN_VAIN - total };
  const chosen = chosenSpans(spans);
  if (chosen.length === 0) return { kind: "too_few", samples: total, missing: missingOf(spans) };
  return {
    kind: "delays",
    samples: total,
    spans,
    delaysMs: chosen.map(({ medianMs }) => roundDelay(medianMs)),
    saved: savedBy(spans, chosen),
  };
}

/** How many the best known delay lacks. */
const missingOf = (spans: readonly SpanAdvice[]): number => MIN_SAMPLES - Math.max(...spans.map(({ tried }) => tried));

/** Retry 1, 2, … until one of which too little is known: what comes after the last one repeats it. */
function chosenSpans(spans: readonly SpanAdvice[]): readonly SpanAdvice[] {
  const chosen: SpanAdvice[] = [];
  for (let retryNo = 1; ; retryNo++) {
    const known = spans.filter((each) => each.retryNo === retryNo && each.tried >= MIN_SAMPLES && each.helped > 0);
    const best = known.toSorted((a, b) => b.interval.low - a.interval.low)[0];
    const first = best && known.find(({ interval }) => interval.high >= best.interval.low);
    if (!first || first.interval.high < IN_VAIN) return chosen;
    chosen.push(first);
  }
}

function savedBy(spans: readonly SpanAdvice[], chosen: readonly SpanAdvice[]): Saved {
  let attempts = 0;
  let waitMs = 0;
  for (const { retryNo, span, tried, rate, medianMs } of spans) {
    const to = chosen[retryNo - 1];
    if (!to || to.span === span) continue;
    attempts += Math.max(0, to.rate - rate) * tried;
    waitMs += Math.max(0, medianMs - to.medianMs) * tried;
  }
  return { attempts: Math.round(attempts), waitMs: Math.round(waitMs) };
}

/** Two digits that mean something. */
function roundDelay(ms: number): number {
  if (ms < 10) return Math.max(1, Math.round(ms));
  const unit = 10 ** (Math.floor(Math.log10(ms)) - 1);
  return Math.round(ms / unit) * unit;
}
