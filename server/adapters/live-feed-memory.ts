import type { LiveFeed } from "@/server/engine/ports";

/** The live feed of one process, for tests. */
export function memoryLiveFeed(): LiveFeed {
  const subscribers = new Set<(projectId: string) => void>();
  return {
    changed: (projectId) => {
      for (const each of subscribers) each(projectId);
    },
    subscribe: (onChange) => {
      subscribers.add(onChange);
      return Promise.resolve({
        close: () => {
          subscribers.delete(onChange);
          return Promise.resolve();
        },
      });
    },
    close: () => {
      subscribers.clear();
      return Promise.resolve();
    },
  };
}
