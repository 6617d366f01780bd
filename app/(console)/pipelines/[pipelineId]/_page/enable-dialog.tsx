"use client";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { ConfirmDialog } from "@/app/_ui/confirm-dialog";
import { notify } from "@/app/_ui/toast";
import { useFailureText } from "../../../_query/use-failure-text";
import { useRefresh } from "../../../_query/use-refresh";
import { StopPreview } from "./stop-preview";
import type { PipelineProps } from "./tabs";

/** Off: what that stops. On: what begins. */
export function EnableDialog({ projectId, pipeline, onClose }: Pick<PipelineProps, "projectId" | "pipeline"> & { onClose: () => void }) {
  const t = useTranslations("pipeline.enable");
  const trpc = useTRPC();
  const text = useFailureText();
  const refresh = useRefresh();
  const on = !pipeline.enabled;
  const set = useMutation(
    trpc.pipelines.setEnabled.mutationOptions({
      onSuccess: () => {
        refresh();
        onClose();
        notify({
          title: t(on ? "doneOn" : "doneOff", { pipeline: pipeline.title }),
          link: { href: `/pipelines/${pipeline.id}?tab=history`, label: t("toHistory") },
        });
      },
    }),
  );
  return (
    <ConfirmDialog
      open
      onOpen={(open) => {
        if (!open) onClose();
      }}
      title={t(on ? "titleOn" : "titleOff", { pipeline: pipeline.title })}
      verb={t(on ? "verbOn" : "verbOff")}
      reason="optional"
      busy={set.isPending}
      error={set.error ? text(set.error) : undefined}
      onConfirm={(reason) => set.mutate({ projectId, pipelineId: pipeline.id, enabled: on, ...(reason === "" ? {} : { reason }) })}
    >
      {on ? <p>{t("bodyOn")}</p> : <StopPreview projectId={projectId} pipelineId={pipeline.id} ends={false} />}
    </ConfirmDialog>
  );
}
