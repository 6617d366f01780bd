"use client";
import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { Checkbox } from "@/app/_ui/checkbox";
import { Field } from "@/app/_ui/field";
import { Input } from "@/app/_ui/input";
import { Select } from "@/app/_ui/select";
import { Textarea } from "@/app/_ui/textarea";
import { GRADES } from "@/server/domain/alert/grade";
import type { CodeDetails } from "./views";

export type Facts = Pick<
  CodeDetails,
  "titleEn" | "titleZh" | "meaningEn" | "meaningZh" | "owner" | "grade" | "impact" | "slaMinutes" | "retry" | "playbook"
>;

export const NO_FACTS: Facts = {
  ...{ titleEn: "", titleZh: "", meaningEn: "", meaningZh: "", owner: "", impact: "", playbook: "" },
  ...{ grade: "P2", slaMinutes: 60, retry: null },
};
const NEW_RETRY = { baseMs: 500, jitterMs: 50, capMs: 60_000 };

export const areComplete = (facts: Facts): boolean =>
  [facts.titleEn, facts.titleZh, facts.meaningEn, facts.meaningZh, facts.owner, facts.impact].every((text) => text.trim() !== "") &&
  facts.slaMinutes > 0;

interface CodeFieldsProps {
  facts: Facts;
  onFacts: (facts: Facts) => void;
  /** What the server says of a field, by its name. */
  errorAt: (name: string) => string | undefined;
}

/** What the register holds of a code. */
export function CodeFields({ facts, onFacts, errorAt }: CodeFieldsProps) {
  const t = useTranslations("codes.form");
  const grade = useTranslations("codes.grade");
  const set = (change: Partial<Facts>) => onFacts({ ...facts, ...change });
  const line = (name: "titleEn" | "titleZh" | "owner", max: number) => (
    <Field label={t(name)} error={errorAt(name)}>
      <Input maxLength={max} value={facts[name]} onChange={(event) => set({ [name]: event.target.value })} />
    </Field>
  );
  const prose = (
    name: "meaningEn" | "meaningZh" | "impact" | "playbook",
    max: number,
    more: { hint?: ReactNode; optional?: boolean } = {},
  ) => (
    <Field label={t(name)} error={errorAt(name)} {...more}>
      <Textarea rows={3} maxLength={max} value={facts[name]} onChange={(event) => set({ [name]: event.target.value })} />
    </Field>
  );
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        {line("titleEn", 120)}
        {line("titleZh", 120)}
        {prose("meaningEn", 2_000)}
        {prose("meaningZh", 2_000)}
      </div>
      <div className="grid gap-4 sm:grid-cols-3">
        {line("owner", 200)}
        <Field label={t("grade")} error={errorAt("grade")}>
          <Select
            value={facts.grade}
            onValue={(value) => set({ grade: value })}
            options={GRADES.map((value) => ({ value, label: grade(value) }))}
          />
        </Field>
        <Field label={t("sla")} error={errorAt("slaMinutes")}>
          <NumberInput value={facts.slaMinutes} onValue={(slaMinutes) => set({ slaMinutes })} />
        </Field>
      </div>
      {prose("impact", 1_000, { hint: t("impactHint") })}
      <RetryFields retry={facts.retry} onRetry={(retry) => set({ retry })} error={errorAt("retry.capMs") ?? errorAt("retry")} />
      {prose("playbook", 20_000, { hint: t("playbookHint"), optional: true })}
    </>
  );
}

interface RetryFieldsProps {
  retry: Facts["retry"];
  onRetry: (retry: Facts["retry"]) => void;
  error: string | undefined;
}

function RetryFields({ retry, onRetry, error }: RetryFieldsProps) {
  const t = useTranslations("codes.form");
  return (
    <div className="flex flex-col gap-2">
      <Checkbox checked={retry !== null} onChecked={(checked) => onRetry(checked ? NEW_RETRY : null)}>
        {t("retry")}
      </Checkbox>
      {retry === null ? (
        <p className="text-ink-3 text-meta">{t("retryHint")}</p>
      ) : (
        <div className="grid gap-4 sm:grid-cols-3">
          {(["baseMs", "jitterMs", "capMs"] as const).map((name) => (
            <Field key={name} label={t(name)} error={name === "capMs" ? error : undefined}>
              <NumberInput value={retry[name]} onValue={(value) => onRetry({ ...retry, [name]: value })} />
            </Field>
          ))}
        </div>
      )}
    </div>
  );
}

function NumberInput({ value, onValue }: { value: number; onValue: (value: number) => void }) {
  return (
    <Input
      inputMode="numeric"
      maxLength={8}
      value={value === 0 ? "" : String(value)}
      onChange={(event) => onValue(Number(event.target.value.replace(/\D/g, "")))}
    />
  );
}
