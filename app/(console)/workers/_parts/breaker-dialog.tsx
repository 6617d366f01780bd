"use client";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { ConfirmDialog } from "@/app/_ui/confirm-dialog";
import { notify } from "@/app/_ui/toast";
import type { BreakerState } from "@/server/domain/breaker/breaker";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";

export type BreakerAct = "hold" | "release" | "close";

interface BreakerDialogProps {
  workerId: string;
  act: BreakerAct;
  /** As it stood when the person looked. */
  seen: BreakerState;
  /** How many nodes it runs now; they go on. */
  active: number;
  onClose: () => void;
}

/** Holds a worker, lets go of it, or closes its breaker; with a reason that stands in the audit. */
export function BreakerDialog({ workerId, act, seen, active, onClose }: BreakerDialogProps) {
  const t = useTranslations("workers.breaker.act");
  const trpc = useTRPC();
  const text = useFailureText();
  const refresh = useRefresh();
  const options = {
    onSuccess: () => {
      refresh();
      onClose();
      notify({ title: t(`${act}.done`, { worker: workerId }) });
    },
  };
  const acts = {
    hold: useMutation(trpc.breakers.hold.mutationOptions(options)),
    release: useMutation(trpc.breakers.release.mutationOptions(options)),
    close: useMutation(trpc.breakers.close.mutationOptions(options)),
  };
  const { mutate, isPending, error } = acts[act];
  return (
    <ConfirmDialog
      open
      onOpen={(open) => {
        if (!open) onClose();
      }}
      title={t(`${act}.title`, { worker: workerId })}
      verb={t(`${act}.verb`)}
      reason="required"
      busy={isPending}
      error={error ? text(error) : undefined}
      onConfirm={(reason) => mutate({ workerId, seen, reason })}
    >
      {t(`${act}.body`, { n: active })}
    </ConfirmDialog>
  );
}
