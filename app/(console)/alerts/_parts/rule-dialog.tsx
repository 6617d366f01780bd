"use client";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { Checkbox } from "@/app/_ui/checkbox";
import { Field } from "@/app/_ui/field";
import { FormDialog } from "@/app/_ui/form-dialog";
import { Input } from "@/app/_ui/input";
import { Select } from "@/app/_ui/select";
import { GRADES } from "@/server/domain/alert/grade";
import { ACTIONS } from "@/server/domain/alert/policy";
import { GradeMark } from "../../_grades/grade-mark";
import { TryPolicy } from "./try-policy";
import { freeId, type PolicySaver } from "./use-policy";
import type { Policy, Rule } from "./views";

const NONE = "none";
const EXAMPLE = "*_TIMEOUT_*";
type Choice = (typeof ACTIONS)[number] | typeof NONE;

interface RuleDialogProps {
  projectId: string;
  rule: Rule | null;
  policy: Policy;
  saver: PolicySaver;
  /** The policy with this rule in it. */
  policyWith: (rule: Rule) => Policy;
  onSave: (policy: Policy) => void;
  onClose: () => void;
}

/** One rule: which codes, how grave, and what is to be done. A P0 must say the last. */
export function RuleDialog({ projectId, rule, policy, saver, policyWith, onSave, onClose }: RuleDialogProps) {
  const t = useTranslations("alerts.rules");
  const words = useTranslations("alerts.actions");
  const [name, setName] = useState(rule?.name ?? "");
  const [pattern, setPattern] = useState(rule?.pattern ?? "");
  const [grade, setGrade] = useState(rule?.grade ?? "P2");
  const [action, setAction] = useState<Choice>(rule?.actionRequired?.action ?? NONE);
  const [target, setTarget] = useState(rule?.actionRequired?.target ?? "");
  const [enabled, setEnabled] = useState(rule?.enabled ?? true);
  const needsAction = grade === "P0" && action === NONE;
  const ready = name.trim() !== "" && pattern.trim() !== "" && !needsAction && (action === NONE || target.trim() !== "");
  const edited = policyWith({
    id: rule?.id ?? freeId(name, policy.rules),
    name: name.trim(),
    pattern: pattern.trim(),
    grade,
    actionRequired: action === NONE ? null : { action, target: target.trim() },
    enabled,
  });
  return (
    <FormDialog
      title={rule ? t("change", { name: rule.name }) : t("add")}
      lead={t("ruleLead")}
      verb={t("save")}
      busy={saver.busy}
      disabled={!ready}
      error={saver.error}
      onClose={onClose}
      onSubmit={() => onSave(edited)}
    >
      <Field label={t("name")}>
        <Input maxLength={80} value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
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
      <Field label={t("grade")}>
        <Select value={grade} onValue={setGrade} options={GRADES.map((value) => ({ value, label: <GradeMark grade={value} /> }))} />
      </Field>
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
        <Field label={t("todo")} error={needsAction ? t("todoNeeded") : undefined}>
          <Select
            value={action}
            onValue={setAction}
            options={
              [{ value: NONE, label: t("todoNone") }, ...ACTIONS.map((value) => ({ value, label: words(value) }))] as {
                value: Choice;
                label: string;
              }[]
            }
          />
        </Field>
        {action === NONE ? null : (
          <Field label={t("target")}>
            <Input maxLength={120} value={target} onChange={(event) => setTarget(event.target.value)} />
          </Field>
        )}
      </div>
      <Checkbox checked={enabled} onChecked={setEnabled}>
        {t("enabled")}
      </Checkbox>
      <TryPolicy projectId={projectId} policy={edited} disabled={!ready} />
    </FormDialog>
  );
}
