"use client";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Field } from "@/app/_ui/field";
import { FormDialog } from "@/app/_ui/form-dialog";
import { Input } from "@/app/_ui/input";
import { formatDuration, parseDuration } from "@/server/domain/duration";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";
import type { ReviewSummary } from "./views";

const MINUTE_MS = 60_000;

/** A number of minutes as people write it: `4h`. */
export const useSpan = () => (minutes: number) => formatDuration(minutes * MINUTE_MS);

/** How long a node may wait for a person before the queue calls it overdue. */
export function LimitDialog({
  projectId,
  settings,
  onClose,
}: {
  projectId: string;
  settings: ReviewSummary["settings"];
  onClose: () => void;
}) {
  const t = useTranslations("reviews.limit");
  const trpc = useTRPC();
  const text = useFailureText();
  const refresh = useRefresh();
  const [span, setSpan] = useState(formatDuration(settings.slaMinutes * MINUTE_MS));
  const minutes = Math.floor((parseDuration(span.trim()) ?? 0) / MINUTE_MS);
  const save = useMutation(
    trpc.reviews.setLimit.mutationOptions({
      onSuccess: () => {
        refresh();
        onClose();
      },
      onError: refresh,
    }),
  );
  return (
    <FormDialog
      title={t("title")}
      lead={t("lead")}
      verb={t("save")}
      width="sm"
      busy={save.isPending}
      error={save.error ? text(save.error) : null}
      onClose={onClose}
      onSubmit={() => {
        if (minutes >= 1) save.mutate({ projectId, slaMinutes: minutes, revision: settings.revision });
      }}
    >
      <Field label={t("label")} hint={t("hint")} error={minutes >= 1 ? undefined : t("wrong")}>
        <Input mono value={span} onChange={(event) => setSpan(event.target.value)} />
      </Field>
    </FormDialog>
  );
}
