"use client";
import { ArrowDown, ArrowUp, Copy, EllipsisVertical, GripVertical, Trash2 } from "lucide-react";
import { useTranslations } from "next-intl";
import { cn } from "@/app/_ui/class-names";
import { IconButton } from "@/app/_ui/icon-button";
import { Menu } from "@/app/_ui/menu";
import { NodeTypeIcon } from "@/app/_ui/node-type-icon";
import type { NodeDefinition } from "@/server/domain/pipeline/definition";
import { STEP_DRAG_TYPE } from "../dragging";
import { useEditor } from "../editor-context";
import { nodeSummary } from "../model/node-summary";
import { NodeMarks } from "../node-marks";

interface StepProps {
  readonly node: NodeDefinition;
  readonly index: number;
  readonly last: boolean;
}

function StepMenu({ node, index, last }: StepProps) {
  const t = useTranslations("editor");
  const { run } = useEditor();
  const move = (to: number) => run({ kind: "reorder_step", key: node.key, to });
  return (
    <Menu
      trigger={
        <IconButton size="sm" label={t("sequence.more", { key: node.key })} icon={<EllipsisVertical size={14} aria-hidden="true" />} />
      }
      items={[
        ...(index > 0
          ? [
              {
                key: "up",
                label: t("sequence.up"),
                shortcut: "Alt ↑",
                icon: <ArrowUp size={13} aria-hidden="true" />,
                onSelect: () => move(index - 1),
              },
            ]
          : []),
        ...(last
          ? []
          : [
              {
                key: "down",
                label: t("sequence.down"),
                shortcut: "Alt ↓",
                icon: <ArrowDown size={13} aria-hidden="true" />,
                onSelect: () => move(index + 1),
              },
            ]),
        {
          key: "copy",
          label: t("panel.duplicate"),
          icon: <Copy size={13} aria-hidden="true" />,
          onSelect: () => run({ kind: "duplicate_nodes", keys: [node.key], after: node.key }),
        },
        {
          key: "delete",
          label: t("panel.delete"),
          tone: "danger",
          icon: <Trash2 size={13} aria-hidden="true" />,
          onSelect: () => run({ kind: "delete_nodes", keys: [node.key], heal: true }),
        },
      ]}
    />
  );
}

/** One step: press to open its form, drag it by the grip, or move it with Alt and an arrow. */
export function Step(props: StepProps) {
  const { node, index } = props;
  const t = useTranslations("editor");
  const { state, dispatch, problemsOf, readOnly, query, hits, openPanel } = useEditor();
  const problems = problemsOf.get(node.key) ?? [];
  const selected = state.selection.includes(node.key);
  const summary = nodeSummary(node);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dragging is one way to move a step; its menu and Alt with an arrow are the others
    <div
      draggable={!readOnly}
      onDragStart={(event) => {
        event.dataTransfer.setData(STEP_DRAG_TYPE, node.key);
        event.dataTransfer.effectAllowed = "move";
      }}
      className={cn(
        "group flex h-16 items-stretch rounded-md border border-line-strong bg-raised",
        selected && "border-ink outline outline-1 outline-ink",
        problems.length > 0 && "border-state-failed",
        problems.length > 0 && selected && "outline-state-failed",
        query !== "" && !hits.has(node.key) && "opacity-30",
      )}
    >
      <span
        aria-hidden="true"
        title={t("sequence.drag")}
        className="relative flex w-[3.3rem] shrink-0 cursor-grab items-center justify-center text-ink-3 text-meta tabular-nums"
      >
        <span className="group-hover:opacity-0">{index + 1}</span>
        <GripVertical size={14} className="absolute opacity-0 group-hover:opacity-100" />
      </span>
      <button
        type="button"
        data-step-button=""
        aria-pressed={selected}
        onClick={(event) => {
          const additive = event.shiftKey || event.metaKey || event.ctrlKey;
          const others = state.selection.filter((key) => key !== node.key);
          dispatch({ type: "select", keys: additive ? (selected ? others : [...others, node.key]) : [node.key] });
          if (!additive) openPanel();
        }}
        className="flex min-w-0 flex-1 items-center gap-3 text-left outline-offset-[-2px]"
      >
        <span className="shrink-0 text-ink-2">
          <NodeTypeIcon type={node.type} size={16} />
        </span>
        <span className="flex min-w-0 flex-1 flex-col gap-0.5">
          <span className="flex min-w-0 items-baseline gap-2">
            <span className="truncate font-medium text-table">{node.title ?? node.key}</span>
            {node.title === undefined ? null : <code className="truncate font-mono text-ink-3 text-meta max-sm:hidden">{node.key}</code>}
          </span>
          <span className={cn("truncate font-mono text-[11px] leading-4", summary === "" ? "text-ink-3 italic" : "text-ink-2")}>
            {summary === "" ? t(`kind.${node.type}.empty`) : summary}
          </span>
        </span>
        <NodeMarks node={node} problems={problems} />
      </button>
      <span className="flex w-9 shrink-0 items-center justify-center">{readOnly ? null : <StepMenu {...props} />}</span>
    </div>
  );
}
