import type { Doorbell, Listening } from "@/server/engine/ports";

interface Listener {
  readonly groups: ReadonlySet<string>;
  readonly onRing: (group: string) => Promise<void>;
  paused: boolean;
}

/** Doorbells of one process: the port's plug for tests and for an in-process runner. */
export function memoryDoorbell(): Doorbell {
  const waiting = new Set<string>();
  const active = new Map<string, Promise<void>>();
  const listeners = new Set<Listener>();

  const deliver = (group: string) => {
    if (!waiting.has(group) || active.has(group)) return;
    const listener = [...listeners].find((each) => !each.paused && each.groups.has(group));
    if (!listener) return;
    waiting.delete(group);
    // The order of listeners rotates, so that no one of them answers everything.
    listeners.delete(listener);
    listeners.add(listener);
    const answer = Promise.resolve()
      .then(() => listener.onRing(group))
      .catch(() => undefined)
      .finally(() => {
        active.delete(group);
        deliver(group);
      });
    active.set(group, answer);
  };
  const deliverAll = (groups: Iterable<string>) => {
    for (const group of groups) deliver(group);
  };

  return {
    ring(groups) {
      for (const group of groups) waiting.add(group);
      deliverAll(groups);
      return Promise.resolve();
    },
    listen(groups, onRing) {
      const listener: Listener = { groups: new Set(groups), onRing, paused: false };
      listeners.add(listener);
      deliverAll(groups);
      const listening: Listening = {
        pause: () => {
          listener.paused = true;
        },
        resume: () => {
          listener.paused = false;
          deliverAll(groups);
        },
        close: async () => {
          listeners.delete(listener);
          await Promise.all(groups.flatMap((group) => active.get(group) ?? []));
        },
      };
      return Promise.resolve(listening);
    },
    depth: (group) => Promise.resolve((waiting.has(group) ? 1 : 0) + (active.has(group) ? 1 : 0)),
    purge: (group) => Promise.resolve(waiting.delete(group) ? 1 : 0),
    close: async () => {
      listeners.clear();
      await Promise.all([...active.values()]);
    },
  };
}
