"use client";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { ConfirmDialog } from "@/app/_ui/confirm-dialog";
import { notify } from "@/app/_ui/toast";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";
import type { WorkerView } from "./views";

export function DrainDialog({ worker, onClose }: { worker: WorkerView; onClose: () => void }) {
  const t = useTranslations("workers.drain");
  const trpc = useTRPC();
  const text = useFailureText();
  const refresh = useRefresh();
  const back = worker.draining;
  const drain = useMutation(
    trpc.workers.drain.mutationOptions({
      onSuccess: () => {
        refresh();
        onClose();
        notify({ title: t(back ? "doneBack" : "done", { worker: worker.id }) });
      },
    }),
  );
  return (
    <ConfirmDialog
      open
      onOpen={(open) => {
        if (!open) onClose();
      }}
      title={t(back ? "titleBack" : "title", { worker: worker.id })}
      verb={t(back ? "verbBack" : "verb")}
      reason="required"
      busy={drain.isPending}
      error={drain.error ? text(drain.error) : undefined}
      onConfirm={(reason) => drain.mutate({ workerId: worker.id, draining: !back, reason })}
    >
      {t(back ? "bodyBack" : "body", { n: worker.active })}
    </ConfirmDialog>
  );
}
