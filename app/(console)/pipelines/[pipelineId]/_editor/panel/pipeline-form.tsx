"use client";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { Tabs } from "@/app/_ui/tabs";
import { FAILURE_POLICIES, TASK_CLASSES } from "@/server/domain/pipeline/definition";
import { useEditor } from "../editor-context";
import { numberText, pairsText } from "../model/field-text";
import { getIn } from "../model/set-in";
import { EXAMPLES } from "./examples";
import { type FieldScope, FieldScopeContext } from "./field-scope";
import { ChoiceField, StructuredField, TextField } from "./fields";
import { ParamsForm } from "./params-form";
import { RetryFields } from "./retry-fields";
import { SchedulesForm } from "./schedules-form";

const TABS = ["pipeline", "params", "schedules"] as const;
type TabName = (typeof TABS)[number];
const LABELS = pairsText("=");

function tabOf(field: string): TabName {
  if (field.startsWith("spec.schedules")) return "schedules";
  return field.startsWith("spec.params") || field.startsWith("spec.businessKeys") ? "params" : "pipeline";
}

export function usePipelineScope(): FieldScope {
  const { state, run, dispatch, problems, readOnly } = useEditor();
  const { definition } = state.draft;
  return {
    id: "pipeline",
    get: (path) => getIn(definition, path),
    set: (path, value) => run({ kind: "edit_settings", path, value }),
    seal: () => dispatch({ type: "seal" }),
    problems: problems.filter(({ nodeKey }) => nodeKey === null),
    readOnly,
  };
}

function Settings() {
  const t = useTranslations("editor");
  const { state } = useEditor();
  return (
    <>
      <TextField path={["metadata", "title"]} label={t("field.pipelineTitle.label")} />
      <TextField path={["metadata", "owner"]} label={t("field.owner.label")} hint={t("field.owner.hint")} />
      <TextField path={["metadata", "description"]} label={t("field.description.label")} rows={3} optional />
      <StructuredField
        kind={LABELS}
        empty={{}}
        path={["metadata", "labels"]}
        label={t("field.labels.label")}
        placeholder={EXAMPLES.labels}
        rows={2}
        optional
      />
      <TextField
        path={["spec", "domain"]}
        label={t("field.domain.label")}
        hint={t("field.domain.hint")}
        placeholder={EXAMPLES.domain}
        mono
      />
      <ChoiceField
        path={["spec", "taskClass"]}
        label={t("field.taskClass.label")}
        options={TASK_CLASSES.map((value) => ({ value, label: t(`taskClass.${value}.label`), hint: t(`taskClass.${value}.hint`) }))}
      />
      <ChoiceField
        path={["spec", "onFailure"]}
        label={t("field.onFailure.label")}
        options={FAILURE_POLICIES.map((value) => ({ value, label: t(`onFailure.${value}.label`), hint: t(`onFailure.${value}.hint`) }))}
      />
      <RetryFields
        retry={state.draft.definition.spec.retry ?? { policy: "default" }}
        path={["spec", "retry"]}
        hint={t("retry.ofPipeline")}
      />
      <StructuredField
        kind={numberText}
        path={["spec", "concurrency"]}
        label={t("field.concurrency.label")}
        hint={t("field.concurrency.hint")}
        className="max-w-56"
        optional
      />
    </>
  );
}

/** The pipeline's own form: what it is, its parameters, its schedules. */
export function PipelineForm() {
  const t = useTranslations("editor");
  const { jump, state } = useEditor();
  const scope = usePipelineScope();
  const [chosen, setChosen] = useState<{ tab: TabName; jump: number }>({ tab: "pipeline", jump: 0 });
  const led = jump !== null && jump.nodeKey === null && jump.field !== null && jump.number > chosen.jump ? tabOf(jump.field) : null;
  const content = { pipeline: <Settings />, params: <ParamsForm />, schedules: <SchedulesForm /> };
  const { params, schedules } = state.draft.definition.spec;
  const amount = { pipeline: 0, params: Object.keys(params).length, schedules: schedules.length };
  const count = (name: TabName) => {
    const wrong = scope.problems.filter(({ field }) => tabOf(field) === name).length;
    if (wrong > 0) return <span className="text-state-failed">{wrong}</span>;
    return amount[name] === 0 ? undefined : amount[name];
  };
  return (
    <FieldScopeContext value={scope}>
      <Tabs<TabName>
        label={t("panel.label")}
        value={led ?? chosen.tab}
        onValue={(tab) => setChosen({ tab, jump: jump?.number ?? 0 })}
        className="flex-1 pt-1 [&>[role=tablist]]:px-4"
        contentClassName="overflow-y-auto px-4 py-4"
        tabs={TABS.map((name) => ({
          value: name,
          label: t(`tab.${name}`),
          count: count(name),
          content: <div className="flex flex-col gap-4">{content[name]}</div>,
        }))}
      />
    </FieldScopeContext>
  );
}
