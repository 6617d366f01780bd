"use client";
import { BaseEdge, EdgeLabelRenderer, type EdgeProps, getSmoothStepPath } from "@xyflow/react";
import { Plus, X } from "lucide-react";
import { useTranslations } from "next-intl";
import { IconButton } from "@/app/_ui/icon-button";
import { useEditor } from "../editor-context";
import type { NeedEdge } from "./flow-model";

function LineDeeds({ from, to, x, y }: { from: string; to: string; x: number; y: number }) {
  const t = useTranslations("editor.canvas");
  const { run, openAdd, readOnly } = useEditor();
  if (readOnly) return null;
  return (
    <EdgeLabelRenderer>
      <span
        className="nodrag nopan pointer-events-auto absolute flex rounded-md border border-line-strong bg-raised shadow-lift"
        style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
      >
        <IconButton
          size="sm"
          label={t("insert", { from, to })}
          icon={<Plus size={13} aria-hidden="true" />}
          onClick={() => openAdd(from, true, to)}
        />
        <IconButton
          size="sm"
          label={t("cut", { from, to })}
          icon={<X size={13} aria-hidden="true" />}
          onClick={() => run({ kind: "disconnect", from, to })}
        />
      </span>
    </EdgeLabelRenderer>
  );
}

/** A need as an orthogonal line; selected, it can be cut or a node put into it. */
export function NeedLine(props: EdgeProps<NeedEdge>) {
  const [path, labelX, labelY] = getSmoothStepPath({ ...props, borderRadius: 6, offset: 18 });
  return (
    <>
      <BaseEdge
        id={props.id}
        path={path}
        interactionWidth={18}
        style={{ stroke: props.selected ? "var(--ink)" : "var(--edge)", strokeWidth: props.selected ? 2 : 1.25 }}
      />
      {props.selected ? <LineDeeds from={props.source} to={props.target} x={labelX} y={labelY} /> : null}
    </>
  );
}
