import { z } from "zod";
import { rateSchema } from "./valve";

/** When a task fails so often that its new work waits for a person, and what shows that it works again (EXC-10). */
export const boundSchema = z.strictObject({
  enabled: z.boolean(),
  /** Of the attempts that ended in the window, more than so many of a hundred failed. */
  percent: z.int().min(1).max(99),
  windowMinutes: z.int().min(1).max(60),
  /** Of fewer ends nothing is said. */
  minimum: z.int().min(5).max(1_000),
  /** Nodes a minute that are let go meanwhile, to see whether it works again. */
  rate: rateSchema.max(60),
  /** So many successes in a row end it. */
  successes: z.int().min(1).max(50),
});
export type Bound = z.infer<typeof boundSchema>;

/** Off: it stops a task for a whole project, so a person turns it on. */
export const DEFAULT_BOUND: Bound = { enabled: false, percent: 50, windowMinutes: 10, minimum: 20, rate: 2, successes: 5 };

/** What is let go a minute once it works again, so that what waited does not break it anew. */
export const RECOVERED_RATE = 600;

/** With so many failures, so many successes keep it within its bound: nobody needs to count further. */
export function successesThatClear({ percent, minimum }: Bound, failed: number): number {
  if (failed < (minimum * percent) / 100) return 0;
  return Math.ceil((failed * (100 - percent)) / percent);
}

/** Whether a task has left its bound. `succeeded` may be cut at `successesThatClear`. */
export function leavesBound(bound: Bound, { failed, succeeded }: { readonly failed: number; readonly succeeded: number }): boolean {
  const ended = failed + succeeded;
  return bound.enabled && ended >= bound.minimum && failed * 100 > bound.percent * ended;
}
