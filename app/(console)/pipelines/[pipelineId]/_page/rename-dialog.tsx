"use client";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useId, useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { Dialog } from "@/app/_ui/dialog";
import { Field } from "@/app/_ui/field";
import { Input } from "@/app/_ui/input";
import { useFailureText } from "../../../_query/use-failure-text";
import { useRefresh } from "../../../_query/use-refresh";
import type { PipelineProps } from "./tabs";

/** Another title; the name stays, since addresses and scripts hold it. */
export function RenameDialog({ projectId, pipeline, onClose }: Pick<PipelineProps, "projectId" | "pipeline"> & { onClose: () => void }) {
  const t = useTranslations("pipeline.rename");
  const ui = useTranslations("ui");
  const id = useId();
  const trpc = useTRPC();
  const text = useFailureText();
  const refresh = useRefresh();
  const [title, setTitle] = useState(pipeline.title);
  const rename = useMutation(
    trpc.pipelines.rename.mutationOptions({
      onSuccess: () => {
        refresh();
        onClose();
      },
    }),
  );
  return (
    <Dialog
      open
      width="sm"
      title={t("title", { pipeline: pipeline.title })}
      onOpen={(open) => {
        if (!open) onClose();
      }}
      footer={
        <>
          <Button onClick={onClose}>{ui("cancel")}</Button>
          <Button type="submit" form={id} look="primary" busy={rename.isPending} disabled={title.trim() === ""}>
            {t("verb")}
          </Button>
        </>
      }
    >
      <form
        id={id}
        onSubmit={(event) => {
          event.preventDefault();
          rename.mutate({ projectId, pipelineId: pipeline.id, title: title.trim() });
        }}
      >
        <Field
          label={t("label")}
          hint={t(pipeline.live ? "hintLive" : "hint", { name: pipeline.name })}
          error={rename.error ? text(rename.error) : undefined}
        >
          <Input maxLength={200} value={title} onChange={(event) => setTitle(event.target.value)} />
        </Field>
      </form>
    </Dialog>
  );
}
