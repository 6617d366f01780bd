"use client";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Field } from "@/app/_ui/field";
import { FormDialog } from "@/app/_ui/form-dialog";
import { Input } from "@/app/_ui/input";
import { notify } from "@/app/_ui/toast";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";

interface ReviewersDialogProps {
  projectId: string;
  reviewers: number;
  onClose: () => void;
}

export function ReviewersDialog({ projectId, reviewers, onClose }: ReviewersDialogProps) {
  const t = useTranslations("codes.reviewers");
  const trpc = useTRPC();
  const text = useFailureText();
  const refresh = useRefresh();
  const [given, setGiven] = useState(String(reviewers));
  const set = useMutation(
    trpc.codes.setReviewers.mutationOptions({
      onSuccess: ({ reviewers: n }) => {
        refresh();
        onClose();
        notify({ title: t("saved", { n }) });
      },
    }),
  );
  return (
    <FormDialog
      title={t("title")}
      lead={t("lead")}
      verb={t("save")}
      busy={set.isPending}
      disabled={!/^(?:\d|10)$/.test(given)}
      error={set.error ? text(set.error) : null}
      onClose={onClose}
      onSubmit={() => set.mutate({ projectId, reviewers: Number(given) })}
    >
      <Field label={t("field")} hint={t("hint")}>
        <Input inputMode="numeric" maxLength={2} className="w-20" value={given} onChange={(event) => setGiven(event.target.value)} />
      </Field>
    </FormDialog>
  );
}
