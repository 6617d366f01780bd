"use client";
import { Plus } from "lucide-react";
import { useTranslations } from "next-intl";
import { type DragEvent, useEffect, useRef, useState } from "react";
import { Button } from "@/app/_ui/button";
import { cn } from "@/app/_ui/class-names";
import { NodeTypeIcon } from "@/app/_ui/node-type-icon";
import { NODE_TYPES } from "@/server/domain/pipeline/definition";
import { isNodeType, STEP_DRAG_TYPE } from "../dragging";
import { useEditor } from "../editor-context";
import { findNode } from "../model/editor-draft";
import { stepsOf } from "../model/reorder-step";
import { Step } from "./step";

function Gap({ after, over, onAdd }: { after: string | null; over: boolean; onAdd: () => void }) {
  const t = useTranslations("editor.sequence");
  const { readOnly } = useEditor();
  return (
    <div className="group relative flex h-7 items-center pl-[1.15rem]">
      <span
        aria-hidden="true"
        className={cn("absolute inset-y-0 left-[1.65rem] border-l", after === null ? "border-transparent" : "border-edge")}
      />
      {over ? <span aria-hidden="true" className="absolute inset-x-0 top-1/2 h-0.5 bg-ink" /> : null}
      {readOnly ? null : (
        <button
          type="button"
          aria-label={after === null ? t("insertFirst") : t("insertAfter", { key: after })}
          title={after === null ? t("insertFirst") : t("insertAfter", { key: after })}
          onClick={onAdd}
          className="relative z-10 flex size-4 items-center justify-center rounded-full border border-line-strong bg-raised text-ink-3 opacity-0 transition-opacity duration-100 hover:border-ink hover:text-ink focus-visible:opacity-100 group-hover:opacity-100 pointer-coarse:size-7 pointer-coarse:opacity-100"
        >
          <Plus size={11} aria-hidden="true" />
        </button>
      )}
    </div>
  );
}

function Empty() {
  const t = useTranslations("editor");
  const { run, readOnly } = useEditor();
  return (
    <div className="mx-auto flex max-w-md flex-col items-start gap-4 px-4 pt-[12vh]">
      <h2 className="font-semibold text-title">{t("empty.title")}</h2>
      <p className="text-body text-ink-2">{t("empty.body")}</p>
      <div className="grid w-full gap-1">
        {NODE_TYPES.map((type) => {
          return (
            <button
              key={type}
              type="button"
              disabled={readOnly}
              onClick={() => {
                if (isNodeType(type)) run({ kind: "add_node", type, after: null, between: false });
              }}
              className="flex items-center gap-3 rounded-md border border-line-strong bg-raised px-3 py-2 text-left hover:not-disabled:border-edge hover:not-disabled:bg-hover"
            >
              <span className="shrink-0 text-ink-2">
                <NodeTypeIcon type={type} size={16} />
              </span>
              <span className="min-w-0">
                <span className="block text-table">{t(`kind.${type}.name`)}</span>
                <span className="block text-ink-3 text-meta">{t(`kind.${type}.does`)}</span>
              </span>
            </button>
          );
        })}
      </div>
    </div>
  );
}

/** Keeps the selected step in sight, and the focus on it where the keyboard moved the selection. */
function useFollow(selected: string | undefined) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    if (selected === undefined) return;
    const row = list.current?.querySelector<HTMLElement>(`[data-step="${CSS.escape(selected)}"]`);
    row?.scrollIntoView({ block: "nearest" });
    if (list.current?.contains(document.activeElement)) row?.querySelector<HTMLElement>("[data-step-button]")?.focus();
  }, [selected]);
  return list;
}

/** A plain pipeline as what it is: a list of steps. */
export function Sequence() {
  const t = useTranslations("editor.sequence");
  const { state, run, openAdd, readOnly } = useEditor();
  const [over, setOver] = useState<number | null>(null);
  const list = useFollow(state.selection.at(-1));
  const steps = stepsOf(state.draft) ?? [];
  if (steps.length === 0) return <Empty />;

  const onDragOver = (event: DragEvent, index: number) => {
    if (!event.dataTransfer.types.includes(STEP_DRAG_TYPE)) return;
    event.preventDefault();
    const box = event.currentTarget.getBoundingClientRect();
    setOver(event.clientY > box.top + box.height / 2 ? index + 1 : index);
  };
  const onDrop = (event: DragEvent) => {
    const key = event.dataTransfer.getData(STEP_DRAG_TYPE);
    event.preventDefault();
    const from = steps.indexOf(key);
    if (over !== null && from !== -1) run({ kind: "reorder_step", key, to: over > from ? over - 1 : over });
    setOver(null);
  };

  return (
    <div className="mx-auto w-full max-w-2xl px-4 pt-2 pb-16">
      <ol ref={list} aria-label={t("label")}>
        {steps.map((key, index) => {
          const node = findNode(state.draft, key);
          if (node === undefined) return null;
          return (
            <li key={key} data-step={key} onDragOver={(event) => onDragOver(event, index)} onDrop={onDrop} onDragEnd={() => setOver(null)}>
              <Gap after={steps[index - 1] ?? null} over={over === index} onAdd={() => openAdd(steps[index - 1] ?? null, true)} />
              <Step node={node} index={index} last={index === steps.length - 1} />
            </li>
          );
        })}
      </ol>
      <Gap after={steps.at(-1) ?? null} over={over === steps.length} onAdd={() => openAdd(steps.at(-1) ?? null, false)} />
      <Button disabled={readOnly} onClick={() => openAdd(steps.at(-1) ?? null, false)}>
        <Plus size={13} aria-hidden="true" />
        {t("add")}
      </Button>
    </div>
  );
}
