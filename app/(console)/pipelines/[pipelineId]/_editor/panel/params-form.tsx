"use client";
import { Plus, Trash2 } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { Button } from "@/app/_ui/button";
import { Checkbox } from "@/app/_ui/checkbox";
import { Field } from "@/app/_ui/field";
import { IconButton } from "@/app/_ui/icon-button";
import { Input } from "@/app/_ui/input";
import { Select } from "@/app/_ui/select";
import { PARAM_TYPES, type ParamDefinition, type ParamType } from "@/server/domain/pipeline/definition";
import { useEditor } from "../editor-context";
import { type FieldText, jsonText, linesText, numberText } from "../model/field-text";
import { problemAt } from "../model/problems";
import { useProblemText } from "../problem-text";
import { useFieldScope } from "./field-scope";
import { StructuredField, TextField } from "./fields";

const BOOLEAN_TEXT: FieldText<unknown> = {
  parse: (text) => (text.trim() === "" ? undefined : text.trim() === "true" ? true : text.trim() === "false" ? false : text),
  format: (value) => (value === undefined ? "" : String(value)),
};
const PLAIN_TEXT: FieldText<unknown> = {
  parse: (text) => (text === "" ? undefined : text),
  format: (value) => (value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value)),
};
const NUMBER_OR_TEXT: FieldText<unknown> = {
  parse: (text) => (text.trim() === "" ? undefined : (numberText.parse(text) ?? text)),
  format: (value) => (value === undefined ? "" : String(value)),
};

/** How a default is written, by the type; what does not fit is kept and marked, never dropped. */
const DEFAULT_TEXT: Record<ParamType, FieldText<unknown>> = {
  string: PLAIN_TEXT,
  date: PLAIN_TEXT,
  enum: PLAIN_TEXT,
  boolean: BOOLEAN_TEXT,
  integer: NUMBER_OR_TEXT,
  number: NUMBER_OR_TEXT,
  object: jsonText,
};
const EXAMPLE: Record<ParamType, string> = {
  string: "",
  integer: "100",
  number: "0.5",
  boolean: "false",
  date: "2026-03-01",
  enum: "",
  object: "{ }",
};
const BOUNDED: readonly ParamType[] = ["string", "integer", "number"];

function NameField({ name }: { name: string }) {
  const t = useTranslations("editor.field");
  const { run } = useEditor();
  const { problems, readOnly } = useFieldScope();
  const text = useProblemText();
  const [typed, setTyped] = useState<{ name: string; text: string } | null>(null);
  const problem = problems.find(({ field }) => field === `spec.params.${name}` || field === `spec.params[${JSON.stringify(name)}]`);
  const rename = () => {
    if (typed?.name === name && typed.text !== "" && typed.text !== name) run({ kind: "rename_param", name, to: typed.text });
    setTyped(null);
  };
  return (
    <Field label={t("paramName.label")} error={problem && text(problem)}>
      <Input
        mono
        data-local={typed === null ? undefined : ""}
        data-field={`spec.params.${name}`}
        value={typed?.name === name ? typed.text : name}
        maxLength={64}
        readOnly={readOnly}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setTyped({ name, text: event.target.value })}
        onBlur={rename}
        onKeyDown={(event) => {
          if (event.key === "Enter") rename();
        }}
      />
    </Field>
  );
}

function withType(param: ParamDefinition, type: ParamType): ParamDefinition {
  const { values, min, max, default: _, ...kept } = param;
  const bounds = BOUNDED.includes(type) ? { ...(min !== undefined && { min }), ...(max !== undefined && { max }) } : {};
  return { ...kept, ...bounds, type, ...(type === "enum" && { values: values ?? ["a", "b"] }) };
}

function Param({ name, param }: { name: string; param: ParamDefinition }) {
  const t = useTranslations("editor");
  const { run, state } = useEditor();
  const scope = useFieldScope();
  const path = ["spec", "params", name];
  const { businessKeys } = state.draft.definition.spec;
  return (
    <li className="flex flex-col gap-3 border-b pb-4">
      <div className="grid grid-cols-[1fr_7rem_auto] items-end gap-2">
        <NameField name={name} />
        <Field label={t("field.paramType.label")}>
          <Select<ParamType>
            value={param.type}
            disabled={scope.readOnly}
            onValue={(type) => scope.set(path, withType(param, type))}
            options={PARAM_TYPES.map((value) => ({ value, label: t(`paramType.${value}`) }))}
          />
        </Field>
        <IconButton
          label={t("panel.removeParam", { name })}
          icon={<Trash2 size={13} aria-hidden="true" />}
          disabled={scope.readOnly}
          onClick={() => run({ kind: "remove_param", name })}
        />
      </div>
      {param.type === "enum" ? (
        <StructuredField
          kind={linesText}
          empty={[]}
          path={[...path, "values"]}
          label={t("field.values.label")}
          hint={t("field.values.hint")}
          rows={2}
        />
      ) : null}
      <div className={BOUNDED.includes(param.type) ? "grid grid-cols-[1fr_4.5rem_4.5rem] gap-2" : "grid gap-2"}>
        <StructuredField
          kind={DEFAULT_TEXT[param.type]}
          path={[...path, "default"]}
          label={t("field.default.label")}
          placeholder={EXAMPLE[param.type]}
          optional
        />
        {BOUNDED.includes(param.type) ? (
          <>
            <StructuredField
              kind={numberText}
              path={[...path, "min"]}
              label={t(param.type === "string" ? "field.minLength.label" : "field.min.label")}
            />
            <StructuredField
              kind={numberText}
              path={[...path, "max"]}
              label={t(param.type === "string" ? "field.maxLength.label" : "field.max.label")}
            />
          </>
        ) : null}
      </div>
      <TextField path={[...path, "description"]} label={t("field.paramHelp.label")} optional />
      <div className="flex flex-wrap gap-x-5 gap-y-1">
        <Checkbox
          checked={param.required ?? param.default === undefined}
          disabled={scope.readOnly}
          onChecked={(required) => scope.set([...path, "required"], required === (param.default === undefined) ? undefined : required)}
        >
          {t("field.required.label")}
        </Checkbox>
        <Checkbox
          checked={businessKeys.includes(name)}
          disabled={scope.readOnly}
          hint={t("field.businessKey.hint")}
          onChecked={(on) => scope.set(["spec", "businessKeys"], on ? [...businessKeys, name] : businessKeys.filter((key) => key !== name))}
        >
          {t("field.businessKey.label")}
        </Checkbox>
      </div>
    </li>
  );
}

/** What a run may be told: names, types, defaults. The form of a manual run is made from these. */
export function ParamsForm() {
  const t = useTranslations("editor.panel");
  const { state, run, readOnly } = useEditor();
  const text = useProblemText();
  const { problems } = useFieldScope();
  const params = Object.entries(state.draft.definition.spec.params);
  const keys = problemAt(problems, "spec.businessKeys");
  return (
    <>
      {params.length === 0 ? <p className="text-ink-2 text-table">{t("noParams")}</p> : null}
      <ul className="flex flex-col gap-4">
        {params.map(([name, param]) => (
          <Param key={name} name={name} param={param} />
        ))}
      </ul>
      {keys === undefined ? null : <p className="text-meta text-state-failed">{text(keys)}</p>}
      <Button className="self-start" disabled={readOnly} onClick={() => run({ kind: "add_param", param: { type: "string" } })}>
        <Plus size={13} aria-hidden="true" />
        {t("addParam")}
      </Button>
    </>
  );
}
