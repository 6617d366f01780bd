"use client";
import { X } from "lucide-react";
import { useTranslations } from "next-intl";
import { useMemo } from "react";
import { Field } from "@/app/_ui/field";
import { IconButton } from "@/app/_ui/icon-button";
import { Select } from "@/app/_ui/select";
import { JOIN_RULES, type NodeDefinition } from "@/server/domain/pipeline/definition";
import { descendantsOf } from "@/server/domain/pipeline/graph";
import { useEditor } from "../editor-context";
import { problemAt } from "../model/problems";
import { useProblemText } from "../problem-text";
import { useFieldScope } from "./field-scope";
import { ChoiceField } from "./fields";

function Needs({ node }: { node: NodeDefinition }) {
  const t = useTranslations("editor");
  const { state, run, jumpTo } = useEditor();
  const { problems, readOnly } = useFieldScope();
  const text = useProblemText();
  const { nodes } = state.draft.definition.spec;
  const after = useMemo(() => descendantsOf(nodes, node.key), [nodes, node.key]);
  const titles = new Map(nodes.map(({ key, title }) => [key, title]));
  const free = nodes.filter(({ key }) => key !== node.key && !node.needs.includes(key));
  const problem = problemAt(problems, "needs");
  return (
    <Field
      label={t("field.needs.label")}
      hint={node.needs.length === 0 ? t("field.needs.none") : undefined}
      error={problem && text(problem)}
    >
      <ul className="flex flex-col" data-field="needs">
        {node.needs.map((need) => (
          <li key={need} className="flex h-8 items-center gap-2 border-b text-table first:border-t">
            <button type="button" className="min-w-0 flex-1 truncate text-left hover:underline" onClick={() => jumpTo(need, null)}>
              {titles.get(need) ?? need}
              {titles.get(need) === undefined ? null : <code className="ml-2 font-mono text-ink-3 text-meta">{need}</code>}
            </button>
            {readOnly ? null : (
              <IconButton
                size="sm"
                label={t("panel.removeNeed", { key: need })}
                icon={<X size={13} aria-hidden="true" />}
                onClick={() => run({ kind: "disconnect", from: need, to: node.key })}
              />
            )}
          </li>
        ))}
      </ul>
      {readOnly || free.length === 0 ? null : (
        <Select
          value={undefined}
          label={t("panel.addNeed")}
          placeholder={t("panel.addNeed")}
          onValue={(from) => run({ kind: "connect", from, to: node.key })}
          options={free.map(({ key, title }) => ({
            value: key,
            label: title ?? key,
            ...(after.has(key) ? { hint: t("panel.wouldCircle"), disabled: true } : {}),
          }))}
        />
      )}
    </Field>
  );
}

/** What comes before, and what has to have become of it. */
export function OrderTab({ node }: { node: NodeDefinition }) {
  const t = useTranslations("editor");
  return (
    <>
      <Needs node={node} />
      <ChoiceField
        path={["join"]}
        label={t("field.join.label")}
        options={JOIN_RULES.map((value) => ({ value, label: t(`join.${value}.label`), hint: t(`join.${value}.hint`) }))}
      />
    </>
  );
}
