import type { Ctx } from "@/server/engine/context";
import type { Fence } from "@/server/engine/leadership/fence";
import { type FireOptions, type FireReport, FiresFailed, fireDue } from "@/server/engine/schedules/fire-due";
import { setAsideFailing } from "@/server/engine/schedules/set-aside";
import { isTransient } from "@/server/engine/transient";

export interface FireBatches {
  fire(ctx: Ctx, fence: Fence): Promise<BatchReport>;
}

export interface BatchReport extends FireReport {
  /** It failed and will be smaller: fire again at once. */
  readonly again: boolean;
}

interface Strikes {
  readonly count: number;
  readonly sinceMs: number;
  readonly untilMs: number;
}

const WHOLE = 100;
const ROWS_OF_EACH = 20;
/** How often one may fail by itself before it is set aside; the pauses between add up to about half a minute. */
export const MOST_STRIKES = 6;
const FIRST_PAUSE_MS = 1_000;
/** So many that fail with none that succeeds are no fault of theirs: the duty has failed (B43). */
const ALL_OF_THEM = 5;

const NOTHING: FireReport = { count: 0, more: false, moved: [], held: false, replaces: false };

/**
 * Fires in batches that shrink when one fails, down to a single fire, and grow again when they succeed: a batch that is too
 * much for the database is not tried as it is for ever. A schedule that fails by itself is put off, tried apart from all
 * others, and in the end set aside, so that it holds up nobody.
 */
export function createFireBatches(): FireBatches {
  let size = WHOLE;
  let succeededMs = Number.NEGATIVE_INFINITY;
  const struck = new Map<string, Strikes>();

  async function strike(ctx: Ctx, fence: Fence, id: string, error: FiresFailed): Promise<void> {
    const nowMs = ctx.clock.monotonicMs();
    const before = struck.get(id);
    const count = (before?.count ?? 0) + 1;
    struck.set(id, { count, sinceMs: before?.sinceMs ?? nowMs, untilMs: nowMs + FIRST_PAUSE_MS * 2 ** (count - 1) });
    ctx.log.error({ err: error.cause, scheduleId: id, count }, "the fires of a schedule fail");
    const firstMs = Math.min(...[...struck.values()].map(({ sinceMs }) => sinceMs));
    if (struck.size >= ALL_OF_THEM && succeededMs < firstMs) throw error;
    if (count < MOST_STRIKES) return;
    await setAsideFailing(ctx, fence, id, `its fires could not be written (${reasonOf(error)})`);
    struck.delete(id);
  }

  async function attempt(ctx: Ctx, fence: Fence, options: FireOptions): Promise<FireReport | FiresFailed> {
    try {
      const report = await fireDue(ctx, fence, options);
      if (report.moved.length > 0) succeededMs = ctx.clock.monotonicMs();
      return report;
    } catch (error) {
      if (!(error instanceof FiresFailed) || isTransient(error)) throw error;
      return error;
    }
  }

  async function fireApart(ctx: Ctx, fence: Fence, id: string): Promise<BatchReport> {
    const report = await attempt(ctx, fence, { only: [id], limit: 1, rows: 1 });
    if (report instanceof FiresFailed) {
      await strike(ctx, fence, id, report);
      return { ...NOTHING, again: true };
    }
    struck.delete(id);
    return { ...report, again: true };
  }

  return {
    fire: async (ctx, fence) => {
      const nowMs = ctx.clock.monotonicMs();
      const [apart] = [...struck].find(([, { untilMs }]) => untilMs <= nowMs) ?? [];
      if (apart !== undefined) return fireApart(ctx, fence, apart);
      const report = await attempt(ctx, fence, { limit: size, rows: size * ROWS_OF_EACH, except: [...struck.keys()] });
      if (!(report instanceof FiresFailed)) {
        size = Math.min(WHOLE, report.moved.length > 0 ? size * 2 : size);
        return { ...report, again: false };
      }
      if (size > 1) {
        size = Math.floor(size / 2);
        ctx.log.warn({ err: report.cause, size }, "a batch of fires failed; smaller ones follow");
      } else for (const id of report.scheduleIds) await strike(ctx, fence, id, report);
      return { ...NOTHING, again: true };
    },
  };
}

function reasonOf(error: unknown): string {
  let reason = "no reason given";
  for (let each = error; each instanceof Error; each = each.cause) reason = each.message.split("\n", 1)[0] ?? reason;
  return reason.slice(0, 300);
}
