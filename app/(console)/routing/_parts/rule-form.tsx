"use client";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { Field } from "@/app/_ui/field";
import { FormDialog } from "@/app/_ui/form-dialog";
import { Input } from "@/app/_ui/input";
import { Segmented } from "@/app/_ui/segmented";
import { Select } from "@/app/_ui/select";
import { TASK_CLASSES } from "@/server/domain/pipeline/definition";
import { ROUTE_ACTIONS } from "@/server/domain/routing/route";
import type { RoutingRule } from "@/server/domain/routing/rule";
import { type FieldName, fieldsOf, type RuleFields, ruleOf } from "./model/rule-form";

interface RuleFormProps {
  /** Null for a new one. */
  rule: RoutingRule | null;
  /** What a new one begins with. */
  first?: RuleFields | null;
  /** Names of the others. */
  taken: readonly string[];
  onClose: () => void;
  onDone: (rule: RoutingRule) => void;
}

/** A rule in fields; what is wrong is said where it stands once it was sent. */
export function RuleForm({ rule, first = null, taken, onClose, onDone }: RuleFormProps) {
  const t = useTranslations("routing.form");
  const classes = useTranslations("routing.class");
  const [fields, setFields] = useState(() => first ?? fieldsOf(rule));
  const [wrong, setWrong] = useState<ReadonlySet<FieldName>>(new Set());
  const set = (change: Partial<RuleFields>) => setFields((before) => ({ ...before, ...change }));
  const errorOf = (field: FieldName) => (wrong.has(field) ? t(`wrong.${field}`) : undefined);
  const submit = () => {
    const said = ruleOf(fields, taken);
    if ("rule" in said) onDone(said.rule);
    else setWrong(said.wrong);
  };
  return (
    <FormDialog
      title={t(rule ? "edit" : "add")}
      lead={t("lead")}
      verb={t(rule ? "take" : "addVerb")}
      busy={false}
      error={null}
      onClose={onClose}
      onSubmit={submit}
    >
      <Field label={t("name")} error={errorOf("name")}>
        <Input value={fields.name} onChange={(event) => set({ name: event.target.value })} />
      </Field>
      <Field label={t("pattern")} hint={t("patternHint")} error={errorOf("pattern")}>
        <Input mono value={fields.pattern} onChange={(event) => set({ pattern: event.target.value.toUpperCase() })} />
      </Field>
      <div className="grid gap-4 sm:grid-cols-3">
        <Field optional label={t("pipeline")} error={errorOf("pipeline")}>
          <Input mono value={fields.pipeline} onChange={(event) => set({ pipeline: event.target.value })} />
        </Field>
        <Field optional label={t("label")} hint={t("labelHint")} error={errorOf("label")}>
          <Input mono value={fields.label} onChange={(event) => set({ label: event.target.value })} />
        </Field>
        <Field optional label={t("taskClass")}>
          <Select
            value={fields.taskClass}
            onValue={(taskClass) => set({ taskClass })}
            options={[{ value: "any", label: classes("any") }, ...TASK_CLASSES.map((value) => ({ value, label: classes(value) }))]}
          />
        </Field>
      </div>
      <ActionField action={fields.action} onAction={(action) => set({ action })} />
      {fields.action === "retry" ? <Timing fields={fields} set={set} error={errorOf("delays")} /> : null}
    </FormDialog>
  );
}

function ActionField({ action, onAction }: { action: RoutingRule["action"]; onAction: (action: RoutingRule["action"]) => void }) {
  const t = useTranslations("routing");
  return (
    <Field label={t("form.action")} hint={t(`action.${action}.hint`)}>
      <Select value={action} onValue={onAction} options={ROUTE_ACTIONS.map((value) => ({ value, label: t(`action.${value}.label`) }))} />
    </Field>
  );
}

interface TimingProps {
  fields: RuleFields;
  set: (change: Partial<RuleFields>) => void;
  error: string | undefined;
}

/** When a retry comes; how often is never said here. */
function Timing({ fields, set, error }: TimingProps) {
  const t = useTranslations("routing.form.timing");
  const { timing } = fields;
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="mb-1 font-medium text-ink-2 text-meta">{t("label")}</legend>
      <Segmented
        className="self-start max-sm:h-auto max-sm:flex-col"
        label={t("label")}
        value={timing}
        onValue={(next) => set({ timing: next })}
        options={(["node", "exponential", "listed"] as const).map((value) => ({ value, label: t(value) }))}
      />
      <p className="text-ink-3 text-meta">{t(`${timing}Hint`)}</p>
      {timing === "exponential" ? (
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label={t("base")} error={error}>
            <Input mono value={fields.base} onChange={(event) => set({ base: event.target.value })} />
          </Field>
          <Field label={t("jitter")}>
            <Input mono value={fields.jitter} onChange={(event) => set({ jitter: event.target.value })} />
          </Field>
        </div>
      ) : null}
      {timing === "listed" ? (
        <Field label={t("delays")} error={error}>
          <Input mono value={fields.delays} onChange={(event) => set({ delays: event.target.value })} />
        </Field>
      ) : null}
    </fieldset>
  );
}
