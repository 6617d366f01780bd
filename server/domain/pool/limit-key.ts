/** The slots of a pool, which a project has to itself. */
export const poolKey = (projectId: string, name: string): string => `pool:${projectId}:${name}`;

/** The slots of a worker group, which all projects share; it has some only while it has a limit. */
export const groupKey = (group: string): string => `group:${group}`;

/** The number of the stop valve that holds a node in its own lane, which has no slot; null where none does (RUN-12). */
export function valveIn(key: string): number | null {
  const no = /^valve:(\d+)$/.exec(key)?.[1];
  return no === undefined ? null : Number(no);
}

/** The pool's name in a key; null where the key is none of a pool. */
export const poolIn = (key: string): string | null => /^pool:[^:]+:(.+)$/s.exec(key)?.[1] ?? null;
