"use client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { failureOf } from "@/app/_trpc/failure";
import { requestKeys } from "@/app/_trpc/request-keys";
import { Dialog } from "@/app/_ui/dialog";
import { ErrorState } from "@/app/_ui/error-state";
import { RunDialog } from "@/app/_ui/run-dialog";
import { SkeletonRows } from "@/app/_ui/skeleton";
import { notify } from "@/app/_ui/toast";
import type { RunView } from "../views";

interface StartDialogProps {
  /** The run whose values the form begins with. */
  run: Pick<RunView, "projectId" | "pipeline" | "params">;
  onClose: () => void;
}

/** Starts the live version of a run's pipeline with values that may differ from the run's own. */
export function StartDialog({ run, onClose }: StartDialogProps) {
  const t = useTranslations("runs.start");
  const trpc = useTRPC();
  const { projectId, pipeline } = run;
  const found = useQuery(trpc.pipelines.get.queryOptions({ projectId, pipelineId: pipeline.id }));
  const start = useMutation(trpc.runs.trigger.mutationOptions());
  const [keyOf] = useState(() => requestKeys());
  const title = t("again", { pipeline: pipeline.title });
  const live = found.data?.live;
  const close = (open: boolean) => {
    if (!open) onClose();
  };

  if (!live) {
    return (
      <Dialog open onOpen={close} title={title}>
        {found.error ? (
          <ErrorState detail={failureOf(found.error)?.message ?? t("unreachable")} onRetry={() => void found.refetch()} />
        ) : found.data ? (
          <p>{t("unpublished")}</p>
        ) : (
          <SkeletonRows rows={3} label={title} />
        )}
      </Dialog>
    );
  }
  const definitions = live.definition.spec.params;
  const takesNone = Object.keys(definitions).length === 0;

  const send = async (values: Record<string, unknown>) => {
    const made = await start
      .mutateAsync({ projectId, pipeline: pipeline.id, params: values, idempotencyKey: keyOf(values) })
      .catch(() => null);
    if (made === null) return;
    onClose();
    notify({
      title: t("started", { pipeline: pipeline.title }),
      detail: made.repeated ? t("same") : undefined,
      link: { href: `/runs/${made.id}`, label: t("toRun") },
    });
  };
  const failure = start.error ? failureOf(start.error) : null;
  return (
    <RunDialog
      open
      onOpen={close}
      title={title}
      lead={t("lead", { no: live.no })}
      verb={t("verb")}
      definitions={definitions}
      given={run.params}
      note={t(takesNone ? "noParams" : "given")}
      busy={start.isPending}
      error={start.error ? (failure ? t("failed", { message: failure.message }) : t("unreachable")) : undefined}
      onRun={(values) => void send(values)}
    />
  );
}
