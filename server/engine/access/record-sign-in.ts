import { writeAudit } from "@/server/engine/audit/write-audit";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { findUserPrincipal } from "./principals";

/** Leaves the row that says who came in, when and from where. */
export async function recordSignIn(ctx: Ctx, { userId }: { userId: string }): Promise<void> {
  const principal = await findUserPrincipal(ctx, userId);
  if (principal?.kind !== "user") return;
  await inTransaction(ctx, (tx) =>
    writeAudit(
      tx,
      { ...ctx, principal },
      {
        projectId: null,
        verb: "session.start",
        object: { kind: "user", id: principal.id, label: principal.label },
      },
    ),
  );
}
