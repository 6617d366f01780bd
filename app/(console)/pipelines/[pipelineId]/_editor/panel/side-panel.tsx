"use client";
import { useTranslations } from "next-intl";
import { useEffect, useRef } from "react";
import { useEditor } from "../editor-context";
import { findNode } from "../model/editor-draft";
import { NodeForm } from "./node-form";
import { PipelineForm } from "./pipeline-form";

/** Puts the cursor into the field that a problem speaks of, or into the nearest one around it. */
function useFieldJump(number: number, field: string | null) {
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (number === 0 || field === null) return;
    const fields = [...(panel.current?.querySelectorAll<HTMLElement>("[data-field]") ?? [])];
    const around = fields.filter(({ dataset }) => {
      const name = dataset.field ?? "";
      return name === field || field.startsWith(`${name}.`) || field.startsWith(`${name}[`);
    });
    const best = around.toSorted((left, right) => (right.dataset.field?.length ?? 0) - (left.dataset.field?.length ?? 0))[0];
    const target = best?.matches("input,textarea") ? best : (best?.querySelector<HTMLElement>("input,textarea,button") ?? best);
    target?.focus();
    best?.scrollIntoView({ block: "center" });
  }, [number, field]);
  return panel;
}

/** The form of what is selected; with nothing selected, the pipeline's own. */
export function SidePanel() {
  const t = useTranslations("editor.panel");
  const { state, jump } = useEditor();
  const key = state.selection.at(-1);
  const node = key === undefined ? undefined : findNode(state.draft, key);
  const panel = useFieldJump(jump?.number ?? 0, jump?.field ?? null);
  return (
    <section ref={panel} aria-label={t("region")} className="flex min-h-0 min-w-0 flex-1 flex-col bg-panel">
      {node === undefined ? <PipelineForm /> : <NodeForm node={node} several={state.selection.length > 1} />}
    </section>
  );
}
