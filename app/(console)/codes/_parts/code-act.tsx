"use client";
import { useMutation } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { ConfirmDialog } from "@/app/_ui/confirm-dialog";
import { notify } from "@/app/_ui/toast";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";
import type { CodeDetails } from "./views";

export type Act = { kind: "deprecate" | "withdraw" } | { kind: "unmap"; id: string; of: string };

const DONE = { deprecate: "deprecated", withdraw: "withdrawn", unmap: "unmapped" } as const;

/** What takes something away asks for a reason. */
export function CodeAct({ act, card, onClose }: { act: Act; card: CodeDetails; onClose: () => void }) {
  const t = useTranslations("codes.card");
  const trpc = useTRPC();
  const text = useFailureText();
  const refresh = useRefresh();
  const router = useRouter();
  const code = act.kind === "unmap" ? act.of : card.code;
  const done = {
    onSuccess: () => {
      if (act.kind === "withdraw") router.push("/codes");
      else refresh();
      onClose();
      notify({ title: t(DONE[act.kind], { code }) });
    },
    onError: refresh,
  };
  const deprecate = useMutation(trpc.codes.deprecate.mutationOptions(done));
  const withdraw = useMutation(trpc.codes.withdraw.mutationOptions(done));
  const unmap = useMutation(trpc.codes.unmap.mutationOptions(done));
  const deed = { deprecate, withdraw, unmap }[act.kind];
  const confirm = (reason: string) => {
    const at = { projectId: card.projectId, reason };
    if (act.kind === "unmap") unmap.mutate({ ...at, id: act.id });
    else if (act.kind === "deprecate") deprecate.mutate({ ...at, code: card.code });
    else withdraw.mutate({ ...at, code: card.code });
  };
  return (
    <ConfirmDialog
      open
      onOpen={(open) => {
        if (!open) onClose();
      }}
      title={t(`${act.kind}Title`, { code })}
      verb={t(act.kind)}
      tone={act.kind === "unmap" ? "plain" : "destroy"}
      reason="required"
      busy={deed.isPending}
      error={deed.error ? text(deed.error) : undefined}
      onConfirm={confirm}
    >
      {t(`${act.kind}Body`)}
    </ConfirmDialog>
  );
}
