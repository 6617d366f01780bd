"use client";
import { useMutation } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { ConfirmDialog } from "@/app/_ui/confirm-dialog";
import { notify } from "@/app/_ui/toast";
import { useFailureText } from "../../../_query/use-failure-text";
import { useRefresh } from "../../../_query/use-refresh";
import { StopPreview } from "./stop-preview";
import type { PipelineProps } from "./tabs";

type EndDialogProps = Pick<PipelineProps, "projectId" | "pipeline"> & { onClose: () => void };

export function ArchiveDialog({ projectId, pipeline, onClose }: EndDialogProps) {
  const t = useTranslations("pipeline.archive");
  const trpc = useTRPC();
  const text = useFailureText();
  const refresh = useRefresh();
  const back = pipeline.archivedAt !== null;
  const set = useMutation(
    trpc.pipelines.setArchived.mutationOptions({
      onSuccess: () => {
        refresh();
        onClose();
        notify({ title: t(back ? "doneBack" : "done", { pipeline: pipeline.title }) });
      },
    }),
  );
  return (
    <ConfirmDialog
      open
      onOpen={(open) => {
        if (!open) onClose();
      }}
      title={t(back ? "titleBack" : "title", { pipeline: pipeline.title })}
      verb={t(back ? "verbBack" : "verb")}
      reason="optional"
      busy={set.isPending}
      error={set.error ? text(set.error) : undefined}
      onConfirm={(reason) => set.mutate({ projectId, pipelineId: pipeline.id, archived: !back, ...(reason === "" ? {} : { reason }) })}
    >
      <p className="mb-2">{t(back ? "bodyBack" : "body")}</p>
      {back ? null : <StopPreview projectId={projectId} pipelineId={pipeline.id} ends />}
    </ConfirmDialog>
  );
}

export function DeleteDialog({ projectId, pipeline, onClose }: EndDialogProps) {
  const t = useTranslations("pipeline.delete");
  const router = useRouter();
  const trpc = useTRPC();
  const text = useFailureText();
  const remove = useMutation(
    trpc.pipelines.delete.mutationOptions({
      onSuccess: () => {
        router.push("/pipelines");
        notify({ title: t("done", { pipeline: pipeline.title }) });
      },
    }),
  );
  return (
    <ConfirmDialog
      open
      onOpen={(open) => {
        if (!open) onClose();
      }}
      title={t("title", { pipeline: pipeline.title })}
      verb={t("verb")}
      tone="destroy"
      reason="required"
      busy={remove.isPending || remove.isSuccess}
      error={remove.error ? text(remove.error) : undefined}
      onConfirm={(reason) => remove.mutate({ projectId, pipelineId: pipeline.id, reason })}
    >
      <p className="mb-2">{t("body")}</p>
      <StopPreview projectId={projectId} pipelineId={pipeline.id} ends />
    </ConfirmDialog>
  );
}
