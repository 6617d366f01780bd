"use client";
import { useTranslations } from "next-intl";
import { useMemo } from "react";
import { CodeBlock } from "@/app/_ui/code-block";
import { toYaml } from "@/server/domain/pipeline/to-yaml";
import { useEditor } from "../editor-context";

/** The same definition as text, for git and for reading. */
export function YamlView() {
  const t = useTranslations("editor.drawer");
  const { state } = useEditor();
  const { definition } = state.draft;
  const text = useMemo(() => toYaml(definition), [definition]);
  return (
    <CodeBlock
      text={text}
      title={t("yamlTitle", { name: definition.metadata.name })}
      numbered
      maxHeight="none"
      className="min-h-full rounded-none border-0"
    />
  );
}
