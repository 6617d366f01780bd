import type { Executor, Tx } from "@/db/client";
import { holdFence, isFenceCurrent } from "@/db/statements/fence";
import { DomainError } from "@/server/domain/failure";

/** A past leader has tried to write; the database refused it and nothing of it was kept. */
export class Fenced extends DomainError {
  constructor(fence: { readonly name: string; readonly epoch: number }) {
    super("stale", `epoch ${fence.epoch} of lease "${fence.name}" is over: another scheduler leads, and nothing was written`, {
      details: fence,
    });
    this.name = "Fenced";
  }
}

/** The first statement of everything that a leader commits. */
export async function requireTerm(tx: Tx, fence: { readonly name: string; readonly epoch: number }): Promise<void> {
  if (!(await holdFence(tx, fence))) throw new Fenced(fence);
}

/** For a look that found nothing to write. */
export async function requireTermToLook(db: Executor, fence: { readonly name: string; readonly epoch: number }): Promise<void> {
  if (!(await isFenceCurrent(db, fence))) throw new Fenced(fence);
}
