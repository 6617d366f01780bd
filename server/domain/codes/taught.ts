import { messageShape } from "./message-shape";

/** What the inbox was taught of one code: events of this stack and this shape of message are another's. */
interface TaughtCode {
  /** Empty: events without a stack. */
  readonly stackHash: string;
  readonly shape: string;
  readonly to: string;
}

/** By the code that a worker says. */
export type Taught = ReadonlyMap<string, readonly TaughtCode[]>;

/** As the database keeps them: code, stack, shape of message, and the registered code. */
export type TaughtRow = readonly [from: string, stackHash: string, shape: string, to: string];

export function taughtOf(rows: readonly TaughtRow[]): Taught {
  const taught = new Map<string, TaughtCode[]>();
  for (const [from, stackHash, shape, to] of rows) {
    const known = taught.get(from) ?? [];
    taught.set(from, known);
    known.push({ stackHash, shape, to });
  }
  return taught;
}

interface Said {
  readonly code: string;
  readonly message: string;
  readonly stackHash: string | null;
  readonly saidCode?: string;
}

/** A failure under the registered code that it was taught to be, with what its worker said kept; any other as it is (EXC-1). */
export function asTaught<T extends Said>(failure: T, taught: Taught): T {
  const known = taught.get(failure.code);
  if (!known) return failure;
  const shape = messageShape(failure.message);
  const found = known.find((each) => each.stackHash === (failure.stackHash ?? "") && each.shape === shape);
  return found ? { ...failure, code: found.to, saidCode: failure.code } : failure;
}
