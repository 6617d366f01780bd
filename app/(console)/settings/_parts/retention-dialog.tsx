"use client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Checkbox } from "@/app/_ui/checkbox";
import { Field } from "@/app/_ui/field";
import { FormDialog } from "@/app/_ui/form-dialog";
import { Input } from "@/app/_ui/input";
import type { Outputs } from "../../_query/outputs";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";
import { useExpiredText } from "./use-expired-text";

type Rule = Outputs["retention"]["get"]["rules"][number];

/** Sets how long something is kept, and says before what the next pass would remove then. */
export function RetentionDialog({ rule, onClose }: { rule: Rule; onClose: () => void }) {
  const t = useTranslations("settings.retention");
  const trpc = useTRPC();
  const refresh = useRefresh();
  const text = useFailureText();
  const expired = useExpiredText();
  const [days, setDays] = useState(String(rule.days ?? rule.defaultDays));
  const [always, setAlways] = useState(rule.days === null);
  const [reason, setReason] = useState("");
  const number = Number(days);
  const isDays = Number.isInteger(number) && number >= rule.leastDays && number <= 3_650;
  const wanted = always ? null : number;
  const preview = useQuery({
    ...trpc.retention.preview.queryOptions({ noun: rule.noun, days: wanted }),
    enabled: always || isDays,
  });
  const set = useMutation(
    trpc.retention.set.mutationOptions({
      onSuccess: () => {
        refresh();
        onClose();
      },
    }),
  );
  return (
    <FormDialog
      title={t("changeName", { noun: t(`nouns.${rule.noun}`) })}
      verb={t("change")}
      busy={set.isPending}
      disabled={reason.trim() === "" || !(always || isDays)}
      error={set.error ? text(set.error) : null}
      onClose={onClose}
      onSubmit={() => set.mutate({ noun: rule.noun, days: wanted, revision: rule.revision, reason: reason.trim() })}
    >
      <Checkbox checked={always} onChecked={setAlways}>
        {t("always")}
      </Checkbox>
      {always ? null : (
        <Field
          label={t("keepDays")}
          hint={t("least", { n: rule.leastDays })}
          {...(isDays ? {} : { error: t("least", { n: rule.leastDays }) })}
        >
          <Input inputMode="numeric" value={days} onChange={(event) => setDays(event.target.value)} />
        </Field>
      )}
      <Field label={t("reason")}>
        <Input maxLength={500} value={reason} onChange={(event) => setReason(event.target.value)} />
      </Field>
      <p aria-live="polite" className="text-ink-2 text-table">
        {preview.data ? t("would", { what: expired(preview.data) }) : null}
      </p>
    </FormDialog>
  );
}
