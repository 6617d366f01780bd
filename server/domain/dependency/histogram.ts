/** Bounds of the log scale: four buckets each time that the duration doubles, so that a quantile is within 19 %. */
const PER_DOUBLING = 4;
/** The last one takes all that is longer: 2^20 ms are 17 minutes. */
export const MOST_BUCKETS = 81;

/** Bucket → calls; only those with any. */
export type Histogram = Readonly<Record<string, number>>;

/** The bucket of a duration: 0 is a millisecond or less. */
export function bucketOf(durationMs: number): number {
  if (!(durationMs > 1)) return 0;
  return Math.min(MOST_BUCKETS - 1, Math.ceil(Math.log2(durationMs) * PER_DOUBLING));
}

/** The longest duration of a bucket, in milliseconds. */
export const bucketTopMs = (bucket: number): number => 2 ** (bucket / PER_DOUBLING);

export function addHistograms(a: Histogram, b: Histogram): Histogram {
  const sum: Record<string, number> = { ...a };
  for (const [bucket, calls] of Object.entries(b)) sum[bucket] = (sum[bucket] ?? 0) + calls;
  return sum;
}

/** The duration that a share of the calls stays within, as its bucket's longest; null where there was no call. */
export function quantileMs(histogram: Histogram, share: number): number | null {
  const buckets = Object.entries(histogram)
    .map(([bucket, calls]) => [Number(bucket), calls] as const)
    .sort(([a], [b]) => a - b);
  const total = buckets.reduce((sum, [, calls]) => sum + calls, 0);
  if (total === 0) return null;
  const rank = Math.max(1, Math.ceil(share * total));
  let seen = 0;
  for (const [bucket, calls] of buckets) {
    seen += calls;
    if (seen >= rank) return Math.round(bucketTopMs(bucket));
  }
  return null;
}
