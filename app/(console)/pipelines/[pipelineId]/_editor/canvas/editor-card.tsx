"use client";
import { Handle, type NodeProps, Position } from "@xyflow/react";
import { useTranslations } from "next-intl";
import { memo } from "react";
import { cn } from "@/app/_ui/class-names";
import { NodeCard } from "@/app/_ui/node-card";
import { NodeTypeIcon } from "@/app/_ui/node-type-icon";
import { nodeSummary } from "../model/node-summary";
import { NodeMarks } from "../node-marks";
import type { CardNode } from "./flow-model";

const HANDLE =
  "!z-10 !size-2.5 !rounded-full !border-2 !border-panel !bg-edge transition-transform duration-100 hover:!scale-150 hover:!bg-ink after:absolute after:-inset-2.5 after:content-['']";

function Card({ data, selected }: NodeProps<CardNode>) {
  const t = useTranslations("editor.kind");
  const { definition: node, problems, faded } = data;
  const summary = nodeSummary(node);
  const wrong = problems.length > 0;
  return (
    <div data-node={node.key} data-problems={problems.length} className={cn("transition-opacity duration-100", faded && "opacity-30")}>
      <Handle type="target" position={Position.Left} className={HANDLE} />
      <NodeCard
        icon={<NodeTypeIcon type={node.type} size={17} />}
        title={node.title ?? node.key}
        line={
          <span className={cn("font-mono text-[11px]", summary === "" && "text-ink-3 italic")}>
            {summary === "" ? t(`${node.type}.empty`) : summary}
          </span>
        }
        mark={<NodeMarks node={node} problems={problems} />}
        selected={selected}
        className={cn(wrong && "border-state-failed", wrong && selected && "outline-state-failed")}
      />
      <Handle type="source" position={Position.Right} className={HANDLE} />
    </div>
  );
}

export const EditorCard = memo(Card);
