"use client";
import { BaseEdge, EdgeLabelRenderer, type EdgeProps, getSmoothStepPath } from "@xyflow/react";
import { Plus, X } from "lucide-react";
import { useTranslations } from "next-intl";
import { IconButton } from "@/app/_ui/icon-button";
import { useEditor } from "../editor-context";
import type { NeedEdge } from "./flow-model";

/** A need as an orthogonal line; selected, it can be cut or a node put into it. */
export function NeedLine(props: EdgeProps<NeedEdge>) {
  const t = useTranslations("editor.canvas");
  const { run, openAdd, readOnly } = useEditor();
  const [path, labelX, labelY] = getSmoothStepPath({ ...props, borderRadius: 6, offset: 18 });
  return (
    <>
      <BaseEdge
        id={props.id}
        path={path}
        markerEnd={props.markerEnd}
        interactionWidth={18}
        style={{ stroke: props.selected ? "var(--ink)" : "var(--edge)", strokeWidth: props.selected ? 2 : 1.25 }}
      />
      {props.selected && !readOnly ? (
        <EdgeLabelRenderer>
          <span
            className="nodrag nopan pointer-events-auto absolute flex rounded-md border border-line-strong bg-raised shadow-lift"
            style={{ transform: `translate(-50%, -50%) translate(${labelX}px, ${labelY}px)` }}
          >
            <IconButton
              size="sm"
              label={t("insert", { from: props.source, to: props.target })}
              icon={<Plus size={13} aria-hidden="true" />}
              onClick={() => openAdd(props.source, true)}
            />
            <IconButton
              size="sm"
              label={t("cut", { from: props.source, to: props.target })}
              icon={<X size={13} aria-hidden="true" />}
              onClick={() => run({ kind: "disconnect", from: props.source, to: props.target })}
            />
          </span>
        </EdgeLabelRenderer>
      ) : null}
    </>
  );
}
