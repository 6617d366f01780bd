"use client";
import { type ReactNode, useRef, useState } from "react";
import { Field } from "@/app/_ui/field";
import { Input } from "@/app/_ui/input";
import { Select, type SelectOption } from "@/app/_ui/select";
import { Switch } from "@/app/_ui/switch";
import { Textarea } from "@/app/_ui/textarea";
import { type FieldBuffer, type FieldText, shownText } from "../model/field-text";
import { problemAt } from "../model/problems";
import type { FieldPath } from "../model/set-in";
import { useProblemText } from "../problem-text";
import { fieldName, useFieldScope } from "./field-scope";
import { InsertMenu } from "./insert-menu";

export interface FieldInfo {
  readonly path: FieldPath;
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly optional?: boolean;
  readonly className?: string;
}

function useField(path: FieldPath) {
  const scope = useFieldScope();
  const text = useProblemText();
  const name = fieldName(path);
  const problem = problemAt(scope.problems, name);
  return { scope, name, value: scope.get(path), error: problem === undefined ? undefined : text(problem) };
}

interface TextInfo extends FieldInfo {
  readonly placeholder?: string;
  readonly mono?: boolean;
  /** More than one line. */
  readonly rows?: number;
  /** `{{ … }}` works here: offers what may be named. */
  readonly templates?: boolean;
  /** An empty text takes the field out. */
  readonly optional?: boolean;
  /** Offered while typing. */
  readonly choices?: readonly string[];
}

/** One text, exactly as it stands in the definition. */
export function TextField({ path, label, hint, optional, className, placeholder, mono, rows, templates, choices }: TextInfo) {
  const { scope, name, value, error } = useField(path);
  const box = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const text = typeof value === "string" ? value : "";
  const set = (next: string) => scope.set(path, next === "" && optional ? undefined : next);
  const list = choices === undefined || choices.length === 0 ? undefined : `choices-${name}`;
  const shared = {
    ref: box,
    value: text,
    mono,
    placeholder,
    readOnly: scope.readOnly,
    "data-field": name,
    onBlur: scope.seal,
    onChange: (event: { target: { value: string } }) => set(event.target.value),
  };
  return (
    <Field
      label={label}
      hint={hint}
      error={error}
      optional={optional}
      className={className}
      aside={templates && !scope.readOnly ? <InsertMenu box={box} onText={set} /> : undefined}
    >
      {rows === undefined ? <Input {...shared} list={list} autoComplete="off" spellCheck={false} /> : <Textarea {...shared} rows={rows} />}
      {list === undefined ? null : (
        <datalist id={list}>
          {choices?.map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
    </Field>
  );
}

interface StructuredInfo<T> extends FieldInfo {
  readonly kind: FieldText<T>;
  readonly placeholder?: string;
  readonly rows?: number;
  readonly templates?: boolean;
  /** A word of caution under the field, from its value. */
  readonly caution?: (value: T | undefined) => ReactNode;
  /** What is stored where the text holds nothing; absent takes the field out. */
  readonly empty?: T;
}

/** A list, pairs or JSON as text. The text as typed lives here, tied to its field; the value is in the draft at once. */
export function StructuredField<T>(info: StructuredInfo<T>) {
  const { path, kind } = info;
  const { scope, name, value, error } = useField(path);
  const [buffer, setBuffer] = useState<FieldBuffer | null>(null);
  const box = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const field = `${scope.id} ${name}`;
  const set = (text: string) => {
    setBuffer({ field, text });
    scope.set(path, kind.parse(text) ?? info.empty);
  };
  const text = shownText(kind, buffer, field, value as T | undefined, info.empty);
  const shared = {
    ref: box,
    mono: true,
    value: text,
    placeholder: info.placeholder,
    readOnly: scope.readOnly,
    "data-field": name,
    onChange: (event: { target: { value: string } }) => set(event.target.value),
    onBlur: () => {
      setBuffer(null);
      scope.seal();
    },
  };
  return (
    <Field
      label={info.label}
      hint={info.caution?.(value as T | undefined) ?? info.hint}
      error={error}
      optional={info.optional}
      className={info.className}
      aside={info.templates && !scope.readOnly ? <InsertMenu box={box} onText={set} /> : undefined}
    >
      {info.rows === undefined ? (
        <Input {...shared} spellCheck={false} autoComplete="off" />
      ) : (
        <Textarea {...shared} rows={Math.max(info.rows, Math.min(16, text.split("\n").length))} />
      )}
    </Field>
  );
}

interface ChoiceInfo<V extends string> extends FieldInfo {
  readonly options: readonly SelectOption<V>[];
}

export function ChoiceField<V extends string>({ path, label, hint, optional, options, className }: ChoiceInfo<V>) {
  const { scope, name, value, error } = useField(path);
  return (
    <Field label={label} hint={hint} error={error} optional={optional} className={className}>
      <div data-field={name}>
        <Select<V>
          value={typeof value === "string" ? (value as V) : undefined}
          onValue={(next) => {
            scope.set(path, next);
            scope.seal();
          }}
          options={options}
          disabled={scope.readOnly}
        />
      </div>
    </Field>
  );
}

export function SwitchField({ path, label, hint, className }: FieldInfo) {
  const { scope, name, value } = useField(path);
  return (
    <div data-field={name} className={className}>
      <Switch
        checked={value === true}
        disabled={scope.readOnly}
        hint={hint}
        onChecked={(next) => {
          scope.set(path, next);
          scope.seal();
        }}
      >
        {label}
      </Switch>
    </div>
  );
}
