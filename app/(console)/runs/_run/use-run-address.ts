"use client";
import { useSearchParams } from "next/navigation";
import { isNodeTab, type NodeTab } from "./model/first-look";
import { type Face, isFace } from "./model/run-keys";

export interface RunAddress {
  face: Face;
  /** Chosen by a person; null while the page chooses. */
  node: string | null;
  tab: NodeTab | null;
  attempt: string | null;
  /** The timeline shows the chosen node's events alone. */
  only: boolean;
}

/** What is looked at stands in the address, so that a link shows a colleague the same. */
export function useRunAddress(): { address: RunAddress; go: (change: Partial<RunAddress>) => void } {
  const params = useSearchParams();
  const face = params.get("view");
  const tab = params.get("tab");
  const address: RunAddress = {
    face: isFace(face) ? face : "graph",
    node: params.get("node"),
    tab: isNodeTab(tab) ? tab : null,
    attempt: params.get("attempt"),
    only: params.get("only") === "node",
  };
  const go = (change: Partial<RunAddress>) => {
    const next = { ...address, ...change };
    const query = new URLSearchParams();
    if (next.face !== "graph") query.set("view", next.face);
    if (next.node !== null) query.set("node", next.node);
    if (next.tab !== null) query.set("tab", next.tab);
    if (next.attempt !== null) query.set("attempt", next.attempt);
    if (next.only) query.set("only", "node");
    const text = query.toString();
    window.history.replaceState(null, "", `${window.location.pathname}${text === "" ? "" : `?${text}`}`);
  };
  return { address, go };
}
