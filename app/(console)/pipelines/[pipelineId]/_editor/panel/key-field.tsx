"use client";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { Field } from "@/app/_ui/field";
import { Input } from "@/app/_ui/input";
import type { NodeDefinition } from "@/server/domain/pipeline/definition";
import { useEditor } from "../editor-context";
import { problemAt } from "../model/problems";
import { useProblemText } from "../problem-text";
import { useFieldScope } from "./field-scope";

/** Renames when it is left: each letter as a name of its own would rewrite every template on the way. */
export function KeyField({ node }: { node: NodeDefinition }) {
  const t = useTranslations("editor");
  const { run } = useEditor();
  const { problems, readOnly } = useFieldScope();
  const text = useProblemText();
  const [typed, setTyped] = useState<{ key: string; text: string } | null>(null);
  const problem = problemAt(problems, "key");
  const shown = typed?.key === node.key ? typed.text : node.key;
  const rename = () => {
    if (typed?.key === node.key && typed.text !== node.key && typed.text !== "")
      run({ kind: "rename_node", key: node.key, to: typed.text });
    setTyped(null);
  };
  return (
    <Field label={t("field.key.label")} error={problem === undefined ? undefined : text(problem)}>
      <Input
        mono
        data-local={typed === null ? undefined : ""}
        data-field="key"
        value={shown}
        maxLength={64}
        readOnly={readOnly}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setTyped({ key: node.key, text: event.target.value })}
        onBlur={rename}
        onKeyDown={(event) => {
          if (event.key === "Enter") rename();
          if (event.key === "Escape") setTyped(null);
        }}
      />
    </Field>
  );
}
