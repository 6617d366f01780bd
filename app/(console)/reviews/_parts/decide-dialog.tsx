"use client";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { ConfirmDialog } from "@/app/_ui/confirm-dialog";
import { notify } from "@/app/_ui/toast";
import type { NodeAction } from "@/server/domain/run/possible";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";
import type { ReviewRow } from "./views";

interface DecideDialogProps {
  projectId: string;
  action: NodeAction;
  rows: readonly ReviewRow[];
  onClose: (done: boolean) => void;
}

/** Decides on one node or on many, with a reason; what will happen is said first, and after it what was refused. */
export function DecideDialog({ projectId, action, rows, onClose }: DecideDialogProps) {
  const t = useTranslations("reviews");
  const trpc = useTRPC();
  const text = useFailureText();
  const refresh = useRefresh();
  const decide = useMutation(
    trpc.reviews.decide.mutationOptions({
      onSuccess: (decisions) => {
        refresh();
        onClose(true);
        const refused = decisions.flatMap((each) => (each.refused ? [each.refused.message] : []));
        const title = t("decided", { done: decisions.length - refused.length, refused: refused.length });
        const [first] = refused;
        notify(first === undefined ? { title } : { title, tone: "bad", detail: first });
      },
      // Somebody else may have been quicker: what is shown is asked for again.
      onError: refresh,
    }),
  );
  const [only] = rows;
  const repeated = rows.filter((row) => row.maybeRepeated).length;
  const warns = repeated > 0 && (action === "retry" || action === "rerun-from");
  return (
    <ConfirmDialog
      open
      onOpen={(open) => {
        if (!open) onClose(false);
      }}
      title={
        rows.length === 1 && only ? t(`act.${action}.title`, { node: only.node.key }) : t(`act.${action}.many`, { count: rows.length })
      }
      verb={t(`act.${action}.verb`)}
      dismiss={t("keep")}
      tone={action === "cancel" ? "destroy" : "plain"}
      reason="required"
      busy={decide.isPending}
      error={decide.error ? text(decide.error) : undefined}
      onConfirm={(reason) =>
        decide.mutate({
          projectId,
          action,
          reason,
          items: rows.map(({ run, node }) => ({ runId: run.id, key: node.key, generation: node.generation })),
        })
      }
    >
      <p>{t(`act.${action}.body`)}</p>
      {warns ? <p className="mt-2 border-state-review border-l-2 pl-2">{t("mayRepeat", { count: repeated })}</p> : null}
    </ConfirmDialog>
  );
}
