"use client";
import { useTranslations } from "next-intl";
import type { ParamDefinition } from "@/server/domain/pipeline/definition";
import { isRequired } from "@/server/domain/pipeline/params";
import { Checkbox } from "./checkbox";
import { Field } from "./field";
import { Input } from "./input";
import type { ParamDefinitions, ParamDraft, ParamProblem } from "./param-values";
import { Select } from "./select";
import { Textarea } from "./textarea";

export interface ParamsFormProps {
  definitions: ParamDefinitions;
  draft: ParamDraft;
  onDraft: (draft: ParamDraft) => void;
  problems: readonly ParamProblem[];
}

/** A field for each parameter of a pipeline, by its type. */
export function ParamsForm({ definitions, draft, onDraft, problems }: ParamsFormProps) {
  return (
    <div className="flex flex-col gap-4">
      {Object.entries(definitions).map(([name, param]) => (
        <ParamField
          key={name}
          name={name}
          param={param}
          value={draft[name] ?? ""}
          onValue={(value) => onDraft({ ...draft, [name]: value })}
          problem={problems.find((each) => each.name === name)}
        />
      ))}
    </div>
  );
}

interface ParamFieldProps {
  name: string;
  param: ParamDefinition;
  value: string | boolean;
  onValue: (value: string | boolean) => void;
  problem: ParamProblem | undefined;
}

const TOLD = new Set([
  "required",
  "not_a_number",
  "not_json",
  "not_a_date",
  "not_a_choice",
  "too_big",
  "too_small",
  "too_long",
  "too_short",
  "invalid_type",
  "unknown_param",
]);

/** What is wrong in the reader's language; what no word is known for in the server's. */
export function useParamProblem(): (problem: ParamProblem) => string {
  const t = useTranslations("ui.param.problem");
  return ({ code, message, values }) => {
    const facts = { min: "", max: "", expected: "", ...values };
    return TOLD.has(code) ? t(code as "required", facts) : t("other", { message });
  };
}

function ParamField({ name, param, value, onValue, problem }: ParamFieldProps) {
  const t = useTranslations("ui.param");
  const problemText = useParamProblem();
  const limits = useLimits(param);
  const label = param.title ?? name;
  const hint = [param.description, limits].filter(Boolean).join(" · ");
  const error = problem ? problemText(problem) : undefined;
  if (param.type === "boolean") {
    return (
      <Checkbox checked={value === true} onChecked={onValue} hint={error ?? (hint === "" ? undefined : hint)}>
        {label}
      </Checkbox>
    );
  }
  const aside = param.title ? <code className="font-mono text-ink-3">{name}</code> : null;
  return (
    <Field label={label} optional={!isRequired(param)} hint={hint === "" ? undefined : hint} error={error} aside={aside}>
      <ParamControl param={param} value={String(value)} onValue={onValue} none={t("none")} json={t("json")} />
    </Field>
  );
}

function useLimits({ type, min, max }: ParamDefinition): string {
  const t = useTranslations("ui.param");
  if (min === undefined && max === undefined) return "";
  const range =
    min !== undefined && max !== undefined
      ? t("range", { min, max })
      : min !== undefined
        ? t("atLeast", { min })
        : t("atMost", { max: max ?? 0 });
  return type === "string" ? `${range} ${t("chars")}` : range;
}

/** Radix takes no empty value, and no choice of a pipeline can hold a NUL. */
const NO_CHOICE = "\u0000";

interface ControlProps {
  param: ParamDefinition;
  value: string;
  onValue: (value: string) => void;
  none: string;
  json: string;
}

function ParamControl({ param, value, onValue, none, json }: ControlProps) {
  const placeholder = typeof param.default === "object" || param.default === undefined ? undefined : String(param.default);
  switch (param.type) {
    case "enum": {
      const choices = (param.values ?? []).map((each) => ({ value: each, label: each }));
      const options = isRequired(param) || param.default !== undefined ? choices : [{ value: NO_CHOICE, label: none }, ...choices];
      const chosen = value === "" ? (options.length > choices.length ? NO_CHOICE : undefined) : value;
      return <Select value={chosen} options={options} onValue={(next) => onValue(next === NO_CHOICE ? "" : next)} />;
    }
    case "object":
      return <Textarea mono rows={5} placeholder={json} value={value} onChange={(event) => onValue(event.target.value)} />;
    case "date":
      return <Input type="date" value={value} onChange={(event) => onValue(event.target.value)} />;
    case "integer":
    case "number":
      return (
        <Input
          inputMode={param.type === "integer" ? "numeric" : "decimal"}
          value={value}
          placeholder={placeholder}
          onChange={(event) => onValue(event.target.value)}
        />
      );
    case "boolean":
    case "string":
      return value.includes("\n") || value.length > 120 ? (
        <Textarea rows={4} value={value} onChange={(event) => onValue(event.target.value)} />
      ) : (
        <Input value={value} onChange={(event) => onValue(event.target.value)} />
      );
  }
}
