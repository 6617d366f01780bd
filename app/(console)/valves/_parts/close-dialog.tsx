"use client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Field } from "@/app/_ui/field";
import { FormDialog } from "@/app/_ui/form-dialog";
import { Input } from "@/app/_ui/input";
import { Segmented } from "@/app/_ui/segmented";
import { Select } from "@/app/_ui/select";
import { notify } from "@/app/_ui/toast";
import { VALVE_KINDS, type ValveKind, type ValveTarget } from "@/server/domain/valve/valve";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";

const MOST_PIPELINES = 200;

/** Stops something everywhere at once, with a reason; what will happen is said first. */
export function CloseDialog({ projectId, onClose }: { projectId: string; onClose: () => void }) {
  const t = useTranslations("valves");
  const trpc = useTRPC();
  const text = useFailureText();
  const refresh = useRefresh();
  const [kind, setKind] = useState<ValveKind>("task");
  const [pipelineId, setPipelineId] = useState<string>();
  const [name, setName] = useState("");
  const [reason, setReason] = useState("");
  const pipelines = useQuery(trpc.pipelines.list.queryOptions({ projectId, limit: MOST_PIPELINES })).data?.items ?? [];
  const target = targetOf(kind, name.trim(), pipelineId);
  const close = useMutation(
    trpc.valves.close.mutationOptions({
      onSuccess: ({ no, held }) => {
        refresh();
        onClose();
        notify({ title: t("close.done", { no, held }), link: { href: `/valves?valve=${no}`, label: t("close.toValve") } });
      },
    }),
  );
  return (
    <FormDialog
      title={t("close.title")}
      lead={t("close.lead")}
      verb={t("close.verb")}
      busy={close.isPending}
      disabled={target === null || reason.trim() === ""}
      error={close.error ? text(close.error) : null}
      onClose={onClose}
      onSubmit={() => {
        if (target) close.mutate({ projectId, target, reason: reason.trim() });
      }}
    >
      <Segmented
        label={t("close.kind")}
        value={kind}
        onValue={(next) => {
          setKind(next);
          setName("");
        }}
        options={VALVE_KINDS.map((value) => ({ value, label: t(`kind.${value}`) }))}
      />
      {kind === "node" ? (
        <Field label={t("close.pipeline")}>
          <Select
            value={pipelineId}
            onValue={setPipelineId}
            options={pipelines.map((pipeline) => ({ value: pipeline.id, label: pipeline.title, hint: pipeline.name }))}
          />
        </Field>
      ) : null}
      <Field label={t(`close.${kind}`)} hint={t(`close.${kind}Hint`)}>
        <Input mono maxLength={128} value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label={t("close.reason")} hint={t("close.reasonHint")}>
        <Input maxLength={500} value={reason} onChange={(event) => setReason(event.target.value)} />
      </Field>
    </FormDialog>
  );
}

function targetOf(kind: ValveKind, name: string, pipelineId: string | undefined): ValveTarget | null {
  if (name === "") return null;
  switch (kind) {
    case "node":
      return pipelineId === undefined ? null : { kind, pipelineId, node: name };
    case "task":
      return { kind, task: name };
    case "group":
      return { kind, group: name };
  }
}
