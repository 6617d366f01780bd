"use client";
import { useTranslations } from "next-intl";
import type { RefObject } from "react";
import { Menu, type MenuItem } from "@/app/_ui/menu";
import { ancestorsOf } from "@/server/domain/pipeline/graph";
import { RUN_FIELDS } from "@/server/domain/pipeline/template-language";
import { useEditor } from "../editor-context";

interface InsertMenuProps {
  readonly box: RefObject<(HTMLInputElement & HTMLTextAreaElement) | null>;
  readonly onText: (text: string) => void;
}

/** What a template may name here, put in where the cursor stands. */
export function InsertMenu({ box, onText }: InsertMenuProps) {
  const t = useTranslations("editor.insert");
  const { state, choices } = useEditor();
  const { nodes, params } = state.draft.definition.spec;
  const [key] = state.selection;
  const before = key === undefined ? new Set<string>() : ancestorsOf(nodes, key);

  const insert = (name: string) => {
    const element = box.current;
    if (element === null) return;
    const start = element.selectionStart ?? element.value.length;
    const piece = `{{ ${name} }}`;
    onText(element.value.slice(0, start) + piece + element.value.slice(element.selectionEnd ?? start));
    requestAnimationFrame(() => {
      element.focus();
      element.setSelectionRange(start + piece.length, start + piece.length);
    });
  };
  const item = (name: string): MenuItem => ({
    key: name,
    label: <code className="font-mono text-meta">{name}</code>,
    onSelect: () => insert(name),
  });
  const names = Object.keys(params);
  const outputs = nodes.filter((node) => before.has(node.key));
  const items: MenuItem[] = [
    ...(names.length > 0
      ? [{ kind: "heading", key: "h-params", label: t("params") } as const, ...names.map((name) => item(`params.${name}`))]
      : []),
    ...(outputs.length > 0
      ? [{ kind: "heading", key: "h-nodes", label: t("outputs") } as const, ...outputs.map((node) => item(`nodes.${node.key}.output`))]
      : []),
    { kind: "heading", key: "h-run", label: t("run") },
    ...RUN_FIELDS.map((field) => item(`run.${field}`)),
    ...(choices.secrets.length > 0
      ? [{ kind: "heading", key: "h-secrets", label: t("secrets") } as const, ...choices.secrets.map((name) => item(`secrets.${name}`))]
      : []),
  ];
  return (
    <Menu
      trigger={
        <button
          type="button"
          aria-label={t("label")}
          title={t("label")}
          className="rounded-sm px-1 font-mono text-ink-3 text-meta hover:bg-hover hover:text-ink"
        >
          {"{{ }}"}
        </button>
      }
      items={items}
    />
  );
}
