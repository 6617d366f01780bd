"use client";
import { useMutation } from "@tanstack/react-query";
import { Play } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { failureOf } from "@/app/_trpc/failure";
import { requestKeys } from "@/app/_trpc/request-keys";
import { Button } from "@/app/_ui/button";
import { RunDialog } from "@/app/_ui/run-dialog";
import { notify } from "@/app/_ui/toast";
import { Tooltip } from "@/app/_ui/tooltip";
import type { PipelineProps } from "./tabs";

type RunNowProps = Pick<PipelineProps, "projectId" | "pipeline">;

/** Starts the live version; where it cannot be started the button says why. */
export function RunNow({ projectId, pipeline }: RunNowProps) {
  const t = useTranslations("pipeline.run");
  const [open, setOpen] = useState(false);
  const because = pipeline.archivedAt ? "archived" : !pipeline.live ? "unpublished" : !pipeline.enabled ? "disabled" : null;
  if (because !== null) {
    return (
      <Tooltip label={t(`cannot.${because}`)}>
        <Button look="primary" aria-disabled="true">
          <Play size={13} aria-hidden="true" />
          {t("open")}
        </Button>
      </Tooltip>
    );
  }
  return (
    <>
      <Button look="primary" onClick={() => setOpen(true)}>
        <Play size={13} aria-hidden="true" />
        {t("open")}
      </Button>
      {open ? <StartDialog projectId={projectId} pipeline={pipeline} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function StartDialog({ projectId, pipeline, onClose }: RunNowProps & { onClose: () => void }) {
  const t = useTranslations("runs.start");
  const trpc = useTRPC();
  const [keyOf] = useState(() => requestKeys());
  const start = useMutation(
    trpc.runs.trigger.mutationOptions({
      onSuccess: (made) => {
        onClose();
        notify({
          title: t("started", { pipeline: pipeline.title }),
          detail: made.repeated ? t("same") : undefined,
          link: { href: `/runs/${made.id}`, label: t("toRun") },
        });
      },
    }),
  );
  const definitions = pipeline.live?.definition.spec.params ?? {};
  const refusal = failureOf(start.error);
  return (
    <RunDialog
      open
      onOpen={(open) => {
        if (!open) onClose();
      }}
      title={t("title", { pipeline: pipeline.title })}
      lead={pipeline.live ? t("lead", { no: pipeline.live.no }) : undefined}
      verb={t("verb")}
      definitions={definitions}
      note={Object.keys(definitions).length === 0 ? t("noParams") : undefined}
      busy={start.isPending}
      error={start.error ? (refusal ? t("failed", { message: refusal.message }) : t("unreachable")) : undefined}
      onRun={(params) => start.mutate({ projectId, pipeline: pipeline.id, params, idempotencyKey: keyOf(params) })}
    />
  );
}
