import { type Role, roleAllows } from "@/server/domain/access/roles";
import type { NodeAction, RunAction } from "@/server/domain/run/possible";
import type { NodeView, RunView } from "../../views";

/** One intervention with what it is about. */
export type Act = { on: "node"; verb: NodeAction; key: string } | { on: "run"; verb: RunAction };

/** From the mildest to the gravest, as menus list them. */
const NODE_ORDER: readonly NodeAction[] = ["retry", "rerun-from", "mark-success", "skip", "cancel"];
const RUN_ORDER: readonly RunAction[] = ["resume", "pause", "cancel"];

const may = (role: Role | null): boolean => role !== null && roleAllows(role, "run.intervene");

/** What the state allows and the role too; the server judges both again. */
export const nodeActs = (node: Pick<NodeView, "possible">, role: Role | null): NodeAction[] =>
  may(role) ? NODE_ORDER.filter((verb) => node.possible.includes(verb)) : [];

export const runActs = (run: Pick<RunView, "possible">, role: Role | null): RunAction[] =>
  may(role) ? RUN_ORDER.filter((verb) => run.possible.includes(verb)) : [];

/** Cannot be taken back by pressing another button. */
export const isDestructive = (act: Act): boolean => act.verb === "cancel" || act.verb === "skip";

/** The one act that stands as a button of its own beside the node. */
export function leadingAct(node: Pick<NodeView, "state">, acts: readonly NodeAction[]): NodeAction | null {
  const wanted: NodeAction = node.state === "SUCCESS" ? "rerun-from" : node.state === "RUNNING" ? "cancel" : "retry";
  return acts.includes(wanted) ? wanted : null;
}
