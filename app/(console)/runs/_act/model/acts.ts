import { type Role, roleAllows } from "@/server/domain/access/roles";
import type { NodeAction, RunAction } from "@/server/domain/run/possible";
import type { NodeView, RunView } from "../../views";

/** What can be done to a run; `again` makes a new run that repeats it. */
export type RunVerb = RunAction | "again";

/** One intervention with what it is about. */
export type Act = { on: "node"; verb: NodeAction; key: string } | { on: "run"; verb: RunVerb };

/** From the mildest to the gravest, as menus list them. */
const NODE_ORDER: readonly NodeAction[] = ["retry", "rerun-from", "mark-success", "skip", "cancel"];
const RUN_ORDER: readonly RunAction[] = ["resume", "pause", "cancel"];

const may = (role: Role | null): boolean => role !== null && roleAllows(role, "run.intervene");

/** What the state allows and the role too; the server judges both again. */
export const nodeActs = (node: Pick<NodeView, "possible">, role: Role | null): NodeAction[] =>
  may(role) ? NODE_ORDER.filter((verb) => node.possible.includes(verb)) : [];

export const runActs = (run: Pick<RunView, "possible">, role: Role | null): RunVerb[] =>
  may(role) ? [...RUN_ORDER.filter((verb) => run.possible.includes(verb)), "again"] : [];

/** Stand as buttons in the header; the others lie in its menu. Pausing what stands still anyway is rarely meant. */
export const leadingRunActs = (run: Pick<RunView, "state">, acts: readonly RunVerb[]): RunVerb[] =>
  acts.filter((verb) => (verb === "again" ? acts.length === 1 : verb !== "pause" || run.state !== "PAUSED"));

/** Cannot be taken back by pressing another button. */
export const isDestructive = (act: Act): boolean => act.verb === "cancel" || act.verb === "skip";

/** The one act that stands as a button of its own beside the node. */
export function leadingAct(node: Pick<NodeView, "state">, acts: readonly NodeAction[]): NodeAction | null {
  const wanted: NodeAction = node.state === "SUCCESS" ? "rerun-from" : node.state === "RUNNING" ? "cancel" : "retry";
  return acts.includes(wanted) ? wanted : null;
}

/** The name of an act in the words of the screens. */
export type ActName = "retry" | "rerunFrom" | "skip" | "markSuccess" | "cancelNode" | "pause" | "resume" | "cancelRun" | "again";

const NODE_NAMES = {
  retry: "retry",
  "rerun-from": "rerunFrom",
  skip: "skip",
  "mark-success": "markSuccess",
  cancel: "cancelNode",
} as const satisfies Record<NodeAction, ActName>;
const RUN_NAMES = { pause: "pause", resume: "resume", cancel: "cancelRun", again: "again" } as const satisfies Record<RunVerb, ActName>;

export const actName = (act: Act): ActName => (act.on === "node" ? NODE_NAMES[act.verb] : RUN_NAMES[act.verb]);

/**
 * A run that stands still moves by a person alone, so a step that was not seen is another person's, and the deed is
 * refused. One that runs moves all the time; there the transition table is judge enough.
 */
export const seqToExpect = (run: Pick<RunView, "state" | "seq">): number | undefined =>
  run.state === "RUNNING" || run.state === "PENDING" ? undefined : run.seq;
