"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { ConfirmDialog } from "@/app/_ui/confirm-dialog";
import { useFailureText } from "../../../_query/use-failure-text";
import type { PipelineProps } from "./tabs";

interface RestoreDialogProps extends Pick<PipelineProps, "projectId" | "pipeline"> {
  no: number;
  onClose: () => void;
}

/** An old version becomes the draft; nothing goes live before somebody publishes it. */
export function RestoreDialog({ projectId, pipeline, no, onClose }: RestoreDialogProps) {
  const t = useTranslations("pipeline.restore");
  const router = useRouter();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const text = useFailureText();
  const save = useMutation(trpc.pipelines.saveDraft.mutationOptions());
  const place = { projectId, pipelineId: pipeline.id };
  const restore = useMutation({
    mutationFn: async () => {
      const [version, draft] = await Promise.all([
        queryClient.fetchQuery(trpc.pipelines.version.queryOptions({ ...place, no })),
        queryClient.fetchQuery({ ...trpc.pipelines.draft.queryOptions(place), staleTime: 0 }),
      ]);
      return save.mutateAsync({ ...place, revision: draft.revision, definition: version.definition, layout: version.layout });
    },
    onSuccess: () => router.push(`/pipelines/${pipeline.id}/edit`),
  });
  return (
    <ConfirmDialog
      open
      onOpen={(open) => {
        if (!open) onClose();
      }}
      title={t("title", { no })}
      verb={t("verb")}
      tone={pipeline.draftDiffers ? "destroy" : "plain"}
      busy={restore.isPending || restore.isSuccess}
      error={restore.error ? text(restore.error) : undefined}
      onConfirm={() => restore.mutate()}
    >
      {t(pipeline.draftDiffers ? "bodyReplaces" : "body")}
    </ConfirmDialog>
  );
}
