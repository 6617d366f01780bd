"use client";
import {
  Background,
  type Edge,
  Handle,
  MarkerType,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { Maximize, ZoomIn, ZoomOut } from "lucide-react";
import { useTranslations } from "next-intl";
import { type CSSProperties, memo, useEffect, useMemo, useRef, useState } from "react";
import { IconButton } from "@/app/_ui/icon-button";
import { NODE_CARD } from "@/app/_ui/node-card";
import type { NodeView, RunView } from "../../views";
import { type GraphLayout, layOutFor, viewOf } from "../model/graph-layout";
import { RunCard } from "../run-card";
import { useWide } from "../use-wide";

interface GraphFaceProps {
  run: Pick<RunView, "nodes" | "edges">;
  selected: string | null;
  onSelect: (key: string) => void;
}

type CardNode = Node<{ node: NodeView; chosen: boolean; direction: GraphLayout["direction"] }, "card">;

const HANDLE = "!pointer-events-none !size-px !min-h-0 !min-w-0 !border-0 !bg-transparent";

const FlowCard = memo(function FlowCard({ data }: NodeProps<CardNode>) {
  const right = data.direction === "right";
  return (
    <>
      <Handle type="target" position={right ? Position.Left : Position.Top} isConnectable={false} className={HANDLE} />
      <RunCard node={data.node} selected={data.chosen} />
      <Handle type="source" position={right ? Position.Right : Position.Bottom} isConnectable={false} className={HANDLE} />
    </>
  );
});

const FLOW_STYLE = { backgroundColor: "var(--ground)", "--xy-attribution-background-color": "transparent" } as CSSProperties;
const NODE_TYPES = { card: FlowCard };

export function GraphFace(props: GraphFaceProps) {
  const ground = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState<{ width: number; height: number } | null>(null);

  useEffect(() => {
    const element = ground.current;
    if (!element) return;
    const watch = new ResizeObserver(([entry]) => {
      if (entry) setRoom({ width: entry.contentRect.width, height: entry.contentRect.height });
    });
    watch.observe(element);
    return () => watch.disconnect();
  }, []);

  return (
    <div ref={ground} className="relative min-h-0 flex-1">
      {room && room.width > 0 ? (
        <div className="absolute inset-0">
          <ReactFlowProvider>
            <Flow {...props} room={room} />
          </ReactFlowProvider>
        </div>
      ) : null}
    </div>
  );
}

/** The shape of a run never changes, so its layout follows the room alone. */
function useLayout(nodes: readonly NodeView[], room: { width: number; height: number }): GraphLayout {
  const shape = nodes.map((node) => `${node.key}<${node.needs.join(",")}`).join(";");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the shape stands for the nodes, whose states change all the time
  return useMemo(() => layOutFor(nodes, room), [shape, room.width, room.height]);
}

function flowNodes(nodes: readonly NodeView[], layout: GraphLayout, selected: string | null): CardNode[] {
  return nodes.map((node) => ({
    id: node.key,
    type: "card",
    position: layout.places.get(node.key) ?? { x: 0, y: 0 },
    data: { node, chosen: node.key === selected, direction: layout.direction },
    width: NODE_CARD.width,
    height: NODE_CARD.height,
    ariaLabel: node.title ?? node.key,
    className: "cursor-pointer rounded-md",
  }));
}

/** A line is drawn through once what it leads to has begun. */
function flowEdges({ nodes, edges }: GraphFaceProps["run"]): Edge[] {
  const begun = new Set(nodes.filter((node) => node.state !== "PENDING").map((node) => node.key));
  return edges.map(({ from, to }) => {
    const color = begun.has(to) ? "var(--ink-3)" : "var(--line-strong)";
    return {
      id: `${from}>${to}`,
      source: from,
      target: to,
      type: "smoothstep",
      focusable: false,
      selectable: false,
      style: { stroke: color, strokeWidth: begun.has(to) ? 1.5 : 1.25, strokeDasharray: begun.has(to) ? undefined : "4 4" },
      markerEnd: { type: MarkerType.ArrowClosed, color, width: 14, height: 14 },
    };
  });
}

function Flow({ run, selected, onSelect, room }: GraphFaceProps & { room: { width: number; height: number } }) {
  const t = useTranslations("run.graph");
  const flow = useReactFlow();
  const wide = useWide();
  const layout = useLayout(run.nodes, room);

  const view = useMemo(() => viewOf(layout, { width: room.width, height: room.height }, !wide), [layout, room.width, room.height, wide]);

  useEffect(() => {
    void flow.setViewport(view);
  }, [flow, view]);

  return (
    <>
      <ReactFlow
        aria-label={t("label", { n: run.nodes.length })}
        nodes={flowNodes(run.nodes, layout, selected)}
        edges={flowEdges(run)}
        nodeTypes={NODE_TYPES}
        defaultEdgeOptions={{ type: "smoothstep" }}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        elementsSelectable
        selectNodesOnDrag={false}
        deleteKeyCode={null}
        selectionKeyCode={null}
        multiSelectionKeyCode={null}
        zoomOnDoubleClick={false}
        preventScrolling={false}
        zoomOnScroll={false}
        zoomActivationKeyCode={["Control", "Meta"]}
        minZoom={0.2}
        maxZoom={1.5}
        defaultViewport={view}
        attributionPosition="bottom-left"
        style={FLOW_STYLE}
        onNodeClick={(_, node) => onSelect(node.id)}
        onNodesChange={(changes) => {
          for (const change of changes) if (change.type === "select" && change.selected) onSelect(change.id);
        }}
      >
        <Background gap={16} size={1} color="var(--line-strong)" className="opacity-60" />
      </ReactFlow>
      <div className="absolute right-2 bottom-2 flex rounded-md border bg-raised">
        <IconButton size="sm" label={t("zoomOut")} icon={<ZoomOut size={13} aria-hidden="true" />} onClick={() => void flow.zoomOut()} />
        <IconButton size="sm" label={t("zoomIn")} icon={<ZoomIn size={13} aria-hidden="true" />} onClick={() => void flow.zoomIn()} />
        <IconButton
          size="sm"
          label={t("fit")}
          icon={<Maximize size={13} aria-hidden="true" />}
          onClick={() => void flow.setViewport(view, { duration: 150 })}
        />
      </div>
    </>
  );
}
