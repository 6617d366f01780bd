"use client";
import { useTranslations } from "next-intl";
import { Kbd } from "@/app/_ui/kbd";
import { NodeTypeIcon } from "@/app/_ui/node-type-icon";
import { NODE_TYPES } from "@/server/domain/pipeline/definition";
import { NODE_DRAG_TYPE } from "./dragging";
import { useEditor } from "./editor-context";

/** The node types: drag one onto the canvas, or press it to add it after what is selected. */
export function Palette() {
  const t = useTranslations("editor");
  const { run, state, view, readOnly } = useEditor();
  const after = state.selection.at(-1) ?? state.draft.definition.spec.nodes.at(-1)?.key ?? null;
  return (
    <aside
      aria-label={t("palette.label")}
      className="flex w-44 shrink-0 flex-col gap-1 overflow-y-auto border-r bg-panel p-2 max-lg:hidden"
    >
      <h2 className="flex items-center justify-between px-1 pb-1 text-ink-3 text-meta">
        {t("palette.label")}
        <Kbd keys="n" />
      </h2>
      {NODE_TYPES.map((type) => {
        return (
          <button
            key={type}
            type="button"
            disabled={readOnly}
            draggable={view === "canvas" && !readOnly}
            onDragStart={(event) => {
              event.dataTransfer.setData(NODE_DRAG_TYPE, type);
              event.dataTransfer.effectAllowed = "copy";
            }}
            onClick={() => run({ kind: "add_node", type, after, between: view === "sequence" })}
            className="group flex items-start gap-2 rounded-md border border-transparent px-2 py-1.5 text-left hover:not-disabled:border-line-strong hover:not-disabled:bg-raised disabled:opacity-45"
          >
            <span className="mt-0.5 shrink-0 text-ink-2">
              <NodeTypeIcon type={type} size={15} />
            </span>
            <span className="min-w-0">
              <span className="block text-table">{t(`kind.${type}.name`)}</span>
              <span className="block text-ink-3 text-meta">{t(`kind.${type}.does`)}</span>
            </span>
          </button>
        );
      })}
    </aside>
  );
}
