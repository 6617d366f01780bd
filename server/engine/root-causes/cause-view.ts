import type { rootCauseCards } from "@/db/schema/root-causes";
import type { MinuteCount } from "@/server/domain/root-cause/burst";

export interface CauseView {
  readonly id: string;
  readonly projectId: string;
  readonly code: string;
  readonly openedAt: Date;
  /** What failed until then is in the counts. */
  readonly countedUntil: Date;
  /** Null while the burst goes on. */
  readonly endedAt: Date | null;
  readonly total: number;
  /** The most of one minute. */
  readonly peak: number;
  readonly minutes: readonly MinuteCount[];
}

export function causeView(row: typeof rootCauseCards.$inferSelect): CauseView {
  const { id, projectId, code, openedAt, countedUntil, endedAt, total, peak, minutes } = row;
  return { id, projectId, code, openedAt, countedUntil, endedAt, total, peak, minutes };
}
