"use client";
import { useTranslations } from "next-intl";
import { type ReactNode, useState } from "react";
import { Checkbox } from "@/app/_ui/checkbox";
import { Field } from "@/app/_ui/field";
import { Input } from "@/app/_ui/input";
import { Select } from "@/app/_ui/select";
import { Textarea } from "@/app/_ui/textarea";
import { type ReviewForm as Form, IMPACTS, MAX_FIX, ROOT_CAUSES } from "@/server/domain/incident/review";
import { codesOf, toggled, withRootCause } from "./model/review-draft";
import { ReviewActions } from "./review-actions";
import type { IncidentDetails } from "./views";

interface ReviewFormProps {
  incident: IncidentDetails;
  form: Form;
  disabled: boolean;
  onForm: (form: Form) => void;
}

/** What people add to what is known by itself; a draft may leave anything open. */
export function ReviewForm(props: ReviewFormProps) {
  const { form, disabled, onForm } = props;
  const t = useTranslations("incidents.review");
  return (
    <div className="flex min-w-0 flex-col gap-5">
      <div className="grid gap-5 sm:grid-cols-2">
        <Field label={t("rootCause")} hint={t("rootCauseHint")}>
          <Select
            value={form.rootCause ?? undefined}
            disabled={disabled}
            onValue={(cause) => onForm(withRootCause(form, cause))}
            options={ROOT_CAUSES.map((value) => ({ value, label: t(`cause.${value}`) }))}
          />
        </Field>
        <Choices legend={t("factors")}>
          {ROOT_CAUSES.map((cause) => (
            <Checkbox
              key={cause}
              checked={form.factors.includes(cause)}
              disabled={disabled || cause === form.rootCause}
              onChecked={(on) => onForm({ ...form, factors: toggled(form.factors, cause, on) })}
            >
              {t(`cause.${cause}`)}
            </Checkbox>
          ))}
        </Choices>
      </div>
      <Choices legend={t("impact")}>
        {IMPACTS.map((impact) => (
          <Checkbox
            key={impact}
            checked={form.impact.includes(impact)}
            disabled={disabled}
            onChecked={(on) => onForm({ ...form, impact: toggled(form.impact, impact, on) })}
          >
            {t(`reached.${impact}`)}
          </Checkbox>
        ))}
      </Choices>
      <Texts {...props} />
      <ReviewActions {...props} />
    </div>
  );
}

function Choices({ legend, children }: { legend: string; children: ReactNode }) {
  return (
    <fieldset className="m-0 min-w-0 border-0 p-0">
      <legend className="mb-1 font-medium text-ink-2 text-meta">{legend}</legend>
      <div className="flex flex-wrap gap-x-5 gap-y-1">{children}</div>
    </fieldset>
  );
}

function Texts({ form, disabled, onForm }: ReviewFormProps) {
  const t = useTranslations("incidents.review");
  return (
    <>
      <Field label={t("summary")} optional>
        <Textarea
          rows={5}
          maxLength={4_000}
          disabled={disabled}
          value={form.summary}
          onChange={(event) => onForm({ ...form, summary: event.target.value })}
        />
      </Field>
      <Field label={t("fix")} aside={<span className="tabular-nums">{t("fixCount", { n: form.fix.length, most: MAX_FIX })}</span>}>
        <Textarea
          rows={2}
          maxLength={MAX_FIX}
          disabled={disabled}
          value={form.fix}
          onChange={(event) => onForm({ ...form, fix: event.target.value })}
        />
      </Field>
      <CodesField form={form} disabled={disabled} onForm={onForm} />
    </>
  );
}

function CodesField({ form, disabled, onForm }: Omit<ReviewFormProps, "incident">) {
  const t = useTranslations("incidents.review");
  // As it is written; what it comes to is the form's.
  const [text, setText] = useState<string | null>(null);
  return (
    <Field label={t("codes")} hint={t("codesHint")}>
      <Input
        mono
        autoComplete="off"
        disabled={disabled}
        value={text ?? form.codes.join(" ")}
        onChange={(event) => {
          setText(event.target.value);
          onForm({ ...form, codes: codesOf(event.target.value) });
        }}
        onBlur={() => setText(null)}
      />
    </Field>
  );
}
