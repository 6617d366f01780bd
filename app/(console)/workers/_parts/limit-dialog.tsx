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
import { SlotsField, slotsIn } from "./slots-field";
import type { GroupView } from "./views";

/** How many nodes of a group run at a time, on all its workers together. */
export function LimitDialog({ group, onClose }: { group: GroupView; onClose: () => void }) {
  const t = useTranslations("workers.limit");
  const trpc = useTRPC();
  const text = useFailureText();
  const refresh = useRefresh();
  const [slots, setSlots] = useState(group.limit === null ? "" : String(group.limit));
  const [reason, setReason] = useState("");
  const wanted = slots.trim() === "" ? null : slotsIn(slots);
  const isWrong = slots.trim() !== "" && wanted === null;
  const limit = useMutation(
    trpc.workers.limitGroup.mutationOptions({
      onSuccess: () => {
        refresh();
        onClose();
        notify({ title: wanted === null ? t("gone", { group: group.name }) : t("done", { group: group.name, n: wanted }) });
      },
    }),
  );
  return (
    <FormDialog
      title={t("title", { group: group.name })}
      lead={t("lead")}
      verb={t("verb")}
      busy={limit.isPending}
      disabled={isWrong || wanted === group.limit || reason.trim() === ""}
      error={limit.error ? text(limit.error) : null}
      onClose={onClose}
      onSubmit={() => limit.mutate({ group: group.name, slots: wanted, seen: group.limit, reason: reason.trim() })}
    >
      <SlotsField optional hint={t("slotsHint")} value={slots} onValue={setSlots} />
      <Field label={t("reason")} hint={t("reasonHint")}>
        <Input maxLength={500} value={reason} onChange={(event) => setReason(event.target.value)} />
      </Field>
    </FormDialog>
  );
}
