"use client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { useNow } from "@/app/_ui/clock";
import { Field } from "@/app/_ui/field";
import { FormDialog } from "@/app/_ui/form-dialog";
import { Input } from "@/app/_ui/input";
import { Select } from "@/app/_ui/select";
import { Time } from "@/app/_ui/time";
import { notify } from "@/app/_ui/toast";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";

const HOURS = ["1", "4", "12", "24", "72", "168", "720"] as const;
const EVERY = "every";
const EXAMPLE = "*_TIMEOUT_*";
const MOST_PIPELINES = 200;

/** Keeps what matches from people until an end, with a reason. */
export function CreateSilence({ projectId, pattern: given = "", onClose }: { projectId: string; pattern?: string; onClose: () => void }) {
  const t = useTranslations("alerts.silence");
  const trpc = useTRPC();
  const refresh = useRefresh();
  const text = useFailureText();
  const now = useNow(1_000);
  const [pattern, setPattern] = useState(given);
  const [pipelineId, setPipelineId] = useState<string>(EVERY);
  const [hours, setHours] = useState<(typeof HOURS)[number]>("1");
  const [reason, setReason] = useState("");
  const pipelines = useQuery(trpc.pipelines.list.queryOptions({ projectId, limit: MOST_PIPELINES })).data?.items ?? [];
  const endsAt = () => new Date(Date.now() + Number(hours) * 3_600_000);
  const create = useMutation(
    trpc.silences.create.mutationOptions({
      onSuccess: ({ no }) => {
        refresh();
        onClose();
        notify({ title: t("done", { no }), link: { href: "/alerts?tab=silences", label: t("toList") } });
      },
    }),
  );
  return (
    <FormDialog
      title={t("create")}
      lead={t("lead")}
      verb={t("create")}
      busy={create.isPending}
      disabled={pattern.trim() === "" || reason.trim() === ""}
      error={create.error ? text(create.error) : null}
      onClose={onClose}
      onSubmit={() =>
        create.mutate({
          projectId,
          pattern: pattern.trim(),
          pipelineId: pipelineId === EVERY ? null : pipelineId,
          reason: reason.trim(),
          endsAt: endsAt(),
        })
      }
    >
      <Field label={t("pattern")} hint={t("patternHint")}>
        <Input
          mono
          autoComplete="off"
          maxLength={64}
          placeholder={EXAMPLE}
          value={pattern}
          onChange={(event) => setPattern(event.target.value.toUpperCase())}
        />
      </Field>
      <Field label={t("pipeline")}>
        <Select
          value={pipelineId}
          onValue={setPipelineId}
          options={[{ value: EVERY, label: t("every") }, ...pipelines.map(({ id, title }) => ({ value: id, label: title }))]}
        />
      </Field>
      <Field
        label={t("for")}
        hint={
          <>
            {t("ends")} <Time at={now + Number(hours) * 3_600_000} precision="minute" />
          </>
        }
      >
        <Select value={hours} onValue={setHours} options={HOURS.map((value) => ({ value, label: t(`hours.${value}`) }))} />
      </Field>
      <Field label={t("reason")} hint={t("reasonHint")}>
        <Input maxLength={500} value={reason} onChange={(event) => setReason(event.target.value)} />
      </Field>
    </FormDialog>
  );
}
