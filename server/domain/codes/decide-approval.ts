import type { CodeState } from "./definition";

export interface ProposalFacts {
  readonly state: CodeState;
  readonly revision: number;
  readonly proposerId: string;
  /** Of the current wording. */
  readonly approvedBy: readonly string[];
  readonly needed: number;
}

export interface Approver {
  readonly id: string;
  readonly isPerson: boolean;
  /** The wording that was read. */
  readonly revision: number;
}

export type ApprovalDecision =
  | { readonly kind: "approved"; readonly registers: boolean; readonly left: number }
  | { readonly kind: "refused"; readonly why: "not_proposed" | "own" | "twice" | "no_person" | "changed" };

/** Nobody approves a wording twice, nor one of their own; machines approve nothing (EXC-9). */
export function decideApproval(proposal: ProposalFacts, by: Approver): ApprovalDecision {
  if (!by.isPerson) return { kind: "refused", why: "no_person" };
  if (proposal.state !== "proposed") return { kind: "refused", why: "not_proposed" };
  if (by.id === proposal.proposerId) return { kind: "refused", why: "own" };
  if (by.revision !== proposal.revision) return { kind: "refused", why: "changed" };
  if (proposal.approvedBy.includes(by.id)) return { kind: "refused", why: "twice" };
  const left = Math.max(0, proposal.needed - proposal.approvedBy.length - 1);
  return { kind: "approved", registers: left === 0, left };
}
