import type { TRPCLink } from "@trpc/client";
import type { AppRouter } from "@/server/api/root";

const DIRECTION = "direction";

/** The query library adds `direction` to the input of a paged query; our pages go one way, and inputs are strict. */
export const forwardOnly: TRPCLink<AppRouter> =
  () =>
  ({ op, next }) =>
    next({ ...op, input: withoutDirection(op.input) });

export function withoutDirection(input: unknown): unknown {
  if (typeof input !== "object" || input === null || !(DIRECTION in input)) return input;
  return Object.fromEntries(Object.entries(input).filter(([key]) => key !== DIRECTION));
}
