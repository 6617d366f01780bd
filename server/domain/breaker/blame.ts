/** How often one worker's attempts failed with one code. */
export interface BoardCell {
  readonly worker: string;
  readonly code: string;
  readonly count: number;
}

/** Who is to blame: a job that fails wherever it runs, or a worker on which everything fails. */
export type Blame =
  | { readonly kind: "job"; readonly code: string; readonly workers: number; readonly count: number }
  | { readonly kind: "worker"; readonly worker: string; readonly codes: number; readonly count: number };

/** `apart`: there are failures, and neither pattern is among them. `alone`: one worker cannot be told from its jobs. */
export type Verdict =
  | { readonly kind: "quiet" }
  | { readonly kind: "alone" }
  | { readonly kind: "apart" }
  | { readonly kind: "told"; readonly blames: readonly Blame[] };

/** Fewer failures than this say nothing. */
export const LEAST_FAILURES = 5;
/** A code on so many workers, at least, and on half of those that have failures. */
export const MANY_WORKERS = 3;
/** So many codes on one worker that are nearly its own. */
export const MANY_CODES = 3;
/** "Nearly its own": this share of all with that code. No more than this share of a job's failures may lie on one worker. */
export const OWN_SHARE = 0.8;

/**
 * The job or the worker (EXC-6): one code on many workers is the job's, many codes on one worker are the worker's. Where two
 * workers are all there is, a code on both of them counts as on many.
 */
export function judgeBoard(cells: readonly BoardCell[], liveWorkers: number): Verdict {
  const counted = cells.filter(({ count }) => count > 0);
  const total = sum(counted);
  if (total < LEAST_FAILURES) return { kind: "quiet" };
  const workers = [...new Set(counted.map(({ worker }) => worker))];
  const known = Math.max(liveWorkers, workers.length);
  if (known < 2) return { kind: "alone" };
  const codes = new Map([...new Set(counted.map(({ code }) => code))].map((code) => [code, counted.filter((cell) => cell.code === code)]));
  const jobs = [...codes].flatMap(([code, of]) => blameJob(code, of, Math.min(MANY_WORKERS, known)));
  const isJob = new Set(jobs.map(({ code }) => code));
  const sick = workers.flatMap((worker) => blameWorker(worker, codes, isJob));
  const blames = [...jobs, ...sick].sort((a, b) => b.count - a.count);
  return blames.length > 0 ? { kind: "told", blames } : { kind: "apart" };
}

const sum = (cells: readonly BoardCell[]): number => cells.reduce((all, { count }) => all + count, 0);

function blameJob(code: string, of: readonly BoardCell[], many: number): readonly (Blame & { kind: "job" })[] {
  const count = sum(of);
  const most = Math.max(...of.map((cell) => cell.count));
  if (count < LEAST_FAILURES || of.length < many || most / count > OWN_SHARE) return [];
  return [{ kind: "job", code, workers: of.length, count }];
}

function blameWorker(
  worker: string,
  codes: ReadonlyMap<string, readonly BoardCell[]>,
  isJob: ReadonlySet<string>,
): readonly (Blame & { kind: "worker" })[] {
  const own = [...codes].flatMap(([code, of]) => {
    const here = of.find((cell) => cell.worker === worker)?.count ?? 0;
    return !isJob.has(code) && here > 0 && here / sum(of) >= OWN_SHARE ? [here] : [];
  });
  const count = own.reduce((all, each) => all + each, 0);
  if (own.length < MANY_CODES || count < LEAST_FAILURES) return [];
  return [{ kind: "worker", worker, codes: own.length, count }];
}
