/** What the graph needs to know of a node: its key and the keys it waits for. */
export interface GraphNode {
  readonly key: string;
  readonly needs: readonly string[];
}

/** Keys of the nodes that wait for each node, in definition order. */
export function successorsByKey(nodes: readonly GraphNode[]): ReadonlyMap<string, readonly string[]> {
  const successors = new Map<string, string[]>(nodes.map(({ key }) => [key, []]));
  for (const { key, needs } of nodes) {
    for (const need of new Set(needs)) successors.get(need)?.push(key);
  }
  return successors;
}

/** Every node after all that it needs, ties in definition order; null if the graph has a cycle. Unknown needs are ignored. */
export function topologicalOrder(nodes: readonly GraphNode[]): readonly string[] | null {
  const successors = successorsByKey(nodes);
  const waitingFor = new Map(nodes.map(({ key, needs }) => [key, [...new Set(needs)].filter((need) => successors.has(need)).length]));
  const order = nodes.filter(({ key }) => waitingFor.get(key) === 0).map(({ key }) => key);
  for (const done of order) {
    for (const next of successors.get(done) ?? []) {
      const left = (waitingFor.get(next) ?? 0) - 1;
      waitingFor.set(next, left);
      if (left === 0) order.push(next);
    }
  }
  return order.length === waitingFor.size ? order : null;
}

function reach(start: string, edges: (key: string) => readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [...edges(start)];
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    if (found.has(key)) continue;
    found.add(key);
    open.push(...edges(key));
  }
  return found;
}

/** Everything that has to end before this node may start. */
export function ancestorsOf(nodes: readonly GraphNode[], key: string): ReadonlySet<string> {
  const needs = new Map(nodes.map((node) => [node.key, node.needs]));
  return reach(key, (at) => needs.get(at) ?? []);
}

/** Everything that waits for this node, directly or through others. */
export function descendantsOf(nodes: readonly GraphNode[], key: string): ReadonlySet<string> {
  const successors = successorsByKey(nodes);
  return reach(key, (at) => successors.get(at) ?? []);
}

/**
 * Answers "does `of` wait for `ancestor`?" for every pair at once: one bit per pair, filled in
 * topological order, because a thousand nodes may each state a thousand needs. Null on a cycle.
 */
export function ancestorLookup(nodes: readonly GraphNode[]): ((ancestor: string, of: string) => boolean) | null {
  const order = topologicalOrder(nodes);
  if (order === null) return null;
  const indexOf = new Map(order.map((key, index) => [key, index]));
  const needsOf = new Map(nodes.map((node) => [node.key, node.needs]));
  const words = Math.ceil(order.length / 32);
  const rows = order.map(() => new Uint32Array(words));
  order.forEach((key, index) => {
    const row = rows[index] ?? new Uint32Array(words);
    for (const need of new Set(needsOf.get(key))) {
      const at = indexOf.get(need);
      if (at === undefined) continue;
      row[at >>> 5] = (row[at >>> 5] ?? 0) | (1 << (at & 31));
      rows[at]?.forEach((word, position) => {
        row[position] = (row[position] ?? 0) | word;
      });
    }
  });
  return (ancestor, of) => {
    const at = indexOf.get(ancestor);
    const row = rows[indexOf.get(of) ?? -1];
    return at !== undefined && row !== undefined && ((row[at >>> 5] ?? 0) & (1 << (at & 31))) !== 0;
  };
}

/** A cycle as the keys along it, first and last the same: `["a", "b", "a"]` says b needs a, and a needs b. Null if there is none. */
export function findCycle(nodes: readonly GraphNode[]): readonly string[] | null {
  const successors = successorsByKey(nodes);
  const finished = new Set<string>();
  for (const { key: start } of nodes) {
    const trail: { readonly key: string; next: number }[] = finished.has(start) ? [] : [{ key: start, next: 0 }];
    const onTrail = new Set(trail.map(({ key }) => key));
    for (let top = trail.at(-1); top !== undefined; top = trail.at(-1)) {
      const next = successors.get(top.key)?.[top.next];
      top.next += 1;
      if (next === undefined) {
        finished.add(top.key);
        onTrail.delete(top.key);
        trail.pop();
      } else if (onTrail.has(next)) {
        const keys = trail.map(({ key }) => key);
        return [...keys.slice(keys.indexOf(next)), next];
      } else if (!finished.has(next)) {
        trail.push({ key: next, next: 0 });
        onTrail.add(next);
      }
    }
  }
  return null;
}

/** The cycle that would come to be if `to` also needed `from`; null if the edge is harmless. */
export function cycleThrough(nodes: readonly GraphNode[], from: string, to: string): readonly string[] | null {
  if (from === to) return [from, from];
  const successors = successorsByKey(nodes);
  const cameFrom = new Map<string, string>();
  const open = [to];
  for (const at of open) {
    for (const next of successors.get(at) ?? []) {
      if (next === to || cameFrom.has(next)) continue;
      cameFrom.set(next, at);
      open.push(next);
    }
  }
  if (!cameFrom.has(from)) return null;
  const back: string[] = [];
  for (let at: string | undefined = from; at !== undefined && at !== to; at = cameFrom.get(at)) back.push(at);
  return [from, to, ...back.reverse()];
}

export const cycleText = (cycle: readonly string[]): string => cycle.join(" → ");

/** True for a plain list of steps: every node but the first needs exactly the one before it. */
export function isSequence(nodes: readonly GraphNode[]): boolean {
  const order = topologicalOrder(nodes);
  if (order === null || order.length !== nodes.length) return false;
  const needs = new Map(nodes.map((node) => [node.key, new Set(node.needs)]));
  return order.every((key, index) => {
    const before = order[index - 1];
    const own = needs.get(key);
    return before === undefined ? own?.size === 0 : own?.size === 1 && own.has(before);
  });
}
