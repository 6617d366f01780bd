import type { NodeChange } from "./model";
import type { NodeState, RunState, SkipCause } from "./states";

/** An event of the append-only stream, as far as a fold reads it. */
export interface FoldEvent {
  readonly event: string;
  readonly nodeKey: string | null;
  readonly generation: number | null;
  readonly attemptNo: number | null;
  readonly to: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface FoldedNode {
  readonly state: NodeState;
  readonly generation: number;
  readonly attemptNo: number;
  readonly attempts: number;
  readonly token: number;
  readonly skipCause: SkipCause | null;
  /** Null while the node has the execution that it was born with. */
  readonly executionId: string | null;
}

export interface FoldedRun {
  readonly state: RunState | null;
  readonly nodes: ReadonlyMap<string, FoldedNode>;
}

const BORN: FoldedNode = { state: "PENDING", generation: 1, attemptNo: 0, attempts: 0, token: 0, skipCause: null, executionId: null };

/** A run as it was after these events, which begin with its first (RUN-9). What came late has changed nothing. */
export function foldEvents(keys: readonly string[], events: readonly FoldEvent[]): FoldedRun {
  const nodes = new Map(keys.map((key) => [key, BORN]));
  let state: RunState | null = null;
  for (const event of events) {
    if (event.event.startsWith("late.")) continue;
    if (event.nodeKey === null) state = (event.to as RunState | null) ?? state;
    else nodes.set(event.nodeKey, foldNode(nodes.get(event.nodeKey) ?? BORN, event));
  }
  return { state, nodes };
}

const foldNode = (node: FoldedNode, { generation, attemptNo, to, data }: FoldEvent): FoldedNode => ({
  state: (to as NodeState | null) ?? node.state,
  generation: generation ?? node.generation,
  attemptNo: attemptNo ?? node.attemptNo,
  attempts: typeof data.attempts === "number" ? data.attempts : node.attempts,
  token: typeof data.token === "number" ? data.token : node.token,
  skipCause: (data.skipCause as SkipCause | undefined) ?? null,
  executionId: typeof data.executionId === "string" ? data.executionId : node.executionId,
});

/** What an event keeps of its step beside the states: only what the step has changed. */
export function changeData({ before, next, outcome, failure, route }: NodeChange): Record<string, unknown> {
  return {
    ...(next.token === before.token ? {} : { token: next.token }),
    ...(next.attempts === before.attempts ? {} : { attempts: next.attempts }),
    ...(next.executionId === before.executionId ? {} : { executionId: next.executionId, replaces: before.executionId }),
    ...(next.skipCause === null ? {} : { skipCause: next.skipCause }),
    ...(next.dueAt === null ? {} : { dueAt: next.dueAt }),
    ...(outcome === null ? {} : { outcome }),
    ...(failure === null ? {} : { code: failure.code, message: failure.message }),
    ...(failure?.saidCode === undefined ? {} : { saidCode: failure.saidCode }),
    ...(route === null ? {} : { route: { rule: route.rule, version: route.version, action: route.action } }),
  };
}
