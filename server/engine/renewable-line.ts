import type { Ctx } from "./context";

/** One or more connections to the database. */
export type DatabaseLine = Pick<Ctx, "db"> & { close(): Promise<void> };

export interface RenewableLine<Line extends DatabaseLine> {
  readonly current: Line;
  /** Gives up the line that a question hung on; nothing where it has been given up since. */
  renew(dead: Ctx["db"]): void;
  close(): Promise<void>;
}

/** A line that can be replaced: a connection that a firewall forgot does not answer and does not break for a quarter of an hour. */
export function renewableLine<Line extends DatabaseLine>(open: () => Line): RenewableLine<Line> {
  let current = open();
  const closing = new Set<Promise<void>>();
  return {
    get current() {
      return current;
    },
    renew: (dead) => {
      if (current.db !== dead) return;
      const closed: Promise<void> = current
        .close()
        .catch(() => undefined)
        .finally(() => closing.delete(closed));
      closing.add(closed);
      current = open();
    },
    close: async () => {
      await Promise.all([current.close(), ...closing]);
    },
  };
}
