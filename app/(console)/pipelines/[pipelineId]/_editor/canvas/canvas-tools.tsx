"use client";
import { MiniMap, Panel, useReactFlow, useViewport } from "@xyflow/react";
import { Maximize, Minus, Plus } from "lucide-react";
import { useTranslations } from "next-intl";
import { useMemo } from "react";
import { IconButton } from "@/app/_ui/icon-button";
import { useShortcuts } from "@/app/_ui/shortcuts";
import type { CardNode } from "./flow-model";

const MAP = { width: 168, height: 96 } as const;
const FIT = { padding: 0.15, maxZoom: 1, duration: 160 } as const;

function mapColor(node: CardNode): string {
  if (node.data.problems.length > 0) return "var(--state-failed)";
  return node.selected ? "var(--ink)" : "var(--line-strong)";
}

/** Zoom and fit at the left, the whole drawing in small at the right. */
export function CanvasTools() {
  const t = useTranslations("editor.canvas");
  const keys = useTranslations("editor.keys");
  const flow = useReactFlow();
  const { zoom } = useViewport();
  const shortcuts = useMemo(
    () => [{ keys: "f", label: t("fit"), group: keys("group"), run: () => void flow.fitView(FIT) }],
    [flow, t, keys],
  );
  useShortcuts(shortcuts);
  return (
    <>
      <Panel position="bottom-left" className="!m-3 flex items-center rounded-md border border-line-strong bg-raised">
        <IconButton
          label={t("zoomOut")}
          icon={<Minus size={14} aria-hidden="true" />}
          side="top"
          onClick={() => void flow.zoomOut({ duration: 120 })}
        />
        <button
          type="button"
          title={t("actualSize")}
          className="w-11 rounded-sm text-center text-ink-2 text-meta tabular-nums hover:text-ink"
          onClick={() => void flow.zoomTo(1, { duration: 120 })}
        >
          {Math.round(zoom * 100)}%
        </button>
        <IconButton
          label={t("zoomIn")}
          icon={<Plus size={14} aria-hidden="true" />}
          side="top"
          onClick={() => void flow.zoomIn({ duration: 120 })}
        />
        <IconButton
          label={t("fit")}
          shortcut="f"
          icon={<Maximize size={13} aria-hidden="true" />}
          side="top"
          onClick={() => void flow.fitView(FIT)}
        />
      </Panel>
      <MiniMap<CardNode>
        pannable
        zoomable
        position="bottom-right"
        ariaLabel={t("map")}
        nodeColor={mapColor}
        nodeStrokeWidth={0}
        nodeBorderRadius={6}
        bgColor="var(--panel)"
        maskColor="color-mix(in oklab, var(--sunk) 70%, transparent)"
        style={MAP}
        className="!m-3 overflow-hidden rounded-md border border-line-strong max-md:!hidden"
      />
    </>
  );
}
