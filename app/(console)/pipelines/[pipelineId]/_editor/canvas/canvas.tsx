"use client";
import {
  Background,
  type Connection,
  type EdgeChange,
  type FinalConnectionState,
  type NodeChange,
  Panel,
  ReactFlow,
  type ReactFlowInstance,
  ReactFlowProvider,
  useReactFlow,
} from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { useTranslations } from "next-intl";
import { type DragEvent, useEffect, useMemo, useRef, useState } from "react";
import type { NodeDefinition } from "@/server/domain/pipeline/definition";
import { cycleThrough } from "@/server/domain/pipeline/graph";
import { isNodeType, NODE_DRAG_TYPE } from "../dragging";
import { useEditor } from "../editor-context";
import { completeLayout } from "../model/auto-layout";
import { CARD, GRID, type Point, snap } from "../model/editor-draft";
import { CanvasTools } from "./canvas-tools";
import { EditorCard } from "./editor-card";
import { type CardNode, flowEdges, flowNodes, type NeedEdge } from "./flow-model";
import { NeedLine } from "./need-line";

const NODE_TYPES = { card: EditorCard };
const EDGE_TYPES = { need: NeedLine };
const NO_MOVES: ReadonlyMap<string, Point> = new Map();
const READABLE = 0.7;
const MARGIN = 48;

/** Cards under the pointer are moved here only; the draft gets their place when they are let go. */
function useCards() {
  const { state, problemsOf, hits, query } = useEditor();
  const [moving, setMoving] = useState(NO_MOVES);
  const { nodes } = state.draft.definition.spec;
  const layout = useMemo(() => completeLayout(nodes, state.draft.layout), [nodes, state.draft.layout]);
  const before = useRef<ReadonlyMap<string, CardNode>>(new Map());
  const cards = useMemo(() => {
    const selection = new Set(state.selection);
    const next = flowNodes({ nodes, layout, moving, selection, problemsOf, hits: query === "" ? null : hits }, before.current);
    before.current = new Map(next.map((card) => [card.id, card]));
    return [...next];
  }, [nodes, layout, moving, state.selection, problemsOf, hits, query]);
  return { cards, moving, setMoving };
}

function useNeedLines(nodes: readonly NodeDefinition[], selected: ReadonlySet<string>) {
  const before = useRef<ReadonlyMap<string, NeedEdge>>(new Map());
  return useMemo(() => {
    const next = flowEdges(nodes, selected, before.current);
    before.current = new Map(next.map((line) => [line.id, line]));
    return [...next];
  }, [nodes, selected]);
}

function useJumps() {
  const { jump } = useEditor();
  const flow = useReactFlow();
  const wanted = jump?.nodeKey ?? null;
  const number = jump?.number ?? 0;
  useEffect(() => {
    const card = number > 0 && wanted !== null ? flow.getNode(wanted) : undefined;
    if (card === undefined) return;
    const centre = { x: card.position.x + CARD.width / 2, y: card.position.y + CARD.height / 2 };
    void flow.setCenter(centre.x, centre.y, { zoom: Math.max(flow.getZoom(), 0.7), duration: 180 });
  }, [flow, wanted, number]);
}

function useSelecting(moving: ReadonlyMap<string, Point>, setMoving: (moving: ReadonlyMap<string, Point>) => void) {
  const { state, dispatch, run, lines, setLines } = useEditor();
  const onNodesChange = (changes: NodeChange<CardNode>[]) => {
    const next = new Map(moving);
    const selection = new Set(state.selection);
    let selects = false;
    for (const change of changes) {
      if (change.type === "position" && change.position !== undefined) next.set(change.id, change.position);
      if (change.type === "select") {
        selects = true;
        if (change.selected) selection.add(change.id);
        else selection.delete(change.id);
      }
    }
    if (next.size > 0) setMoving(next);
    if (selects) dispatch({ type: "select", keys: [...selection] });
  };
  const onEdgesChange = (changes: EdgeChange<NeedEdge>[]) => {
    const next = new Set(lines);
    for (const change of changes) {
      if (change.type !== "select") continue;
      if (change.selected) next.add(change.id);
      else next.delete(change.id);
    }
    setLines(next);
  };
  const onLetGo = () => {
    if (moving.size > 0) run({ kind: "move_nodes", places: Object.fromEntries([...moving].map(([key, place]) => [key, snap(place)])) });
    setMoving(NO_MOVES);
  };
  return { onNodesChange, onEdgesChange, onNodeDragStop: onLetGo, onSelectionDragStop: onLetGo };
}

function useConnecting() {
  const { state, run } = useEditor();
  const { nodes } = state.draft.definition.spec;
  return {
    isValidConnection: ({ source, target }: Connection | NeedEdge) => cycleThrough(nodes, source, target) === null,
    onConnect: ({ source, target }: Connection) => run({ kind: "connect", from: source, to: target }),
    /** A line that would close a circle is not drawn; letting it go says which circle. */
    onConnectEnd: (_: unknown, end: FinalConnectionState) => {
      if (end.isValid !== false || end.fromNode === null || end.toNode === null) return;
      const backwards = end.fromHandle?.type === "target";
      const [from, to] = backwards ? [end.toNode.id, end.fromNode.id] : [end.fromNode.id, end.toNode.id];
      run({ kind: "connect", from, to });
    },
  };
}

function useDropping() {
  const { run } = useEditor();
  const flow = useReactFlow();
  return {
    onDragOver: (event: DragEvent) => {
      if (event.dataTransfer.types.includes(NODE_DRAG_TYPE)) event.preventDefault();
    },
    onDrop: (event: DragEvent) => {
      const type = event.dataTransfer.getData(NODE_DRAG_TYPE);
      if (!isNodeType(type)) return;
      event.preventDefault();
      const at = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
      run({ kind: "add_node", type, after: null, between: false, at: { x: at.x - CARD.width / 2, y: at.y - CARD.height / 2 } });
    },
  };
}

/** The whole drawing where that can be read, else its beginning. */
function opening(flow: ReactFlowInstance<CardNode, NeedEdge>) {
  const cards = flow.getNodes();
  const bounds = flow.getNodesBounds(cards);
  const box = document.querySelector(".react-flow")?.getBoundingClientRect();
  if (box === undefined || bounds.width === 0) return;
  const fit = Math.min((box.width - 2 * MARGIN) / bounds.width, (box.height - 2 * MARGIN) / bounds.height);
  const zoom = Math.min(1, Math.max(READABLE, fit));
  if (fit >= READABLE) {
    const x = (box.width - bounds.width * zoom) / 2;
    const y = (box.height - bounds.height * zoom) / 2;
    void flow.setViewport({ x: x - bounds.x * zoom, y: y - bounds.y * zoom, zoom });
    return;
  }
  const first = cards.reduce((left, card) => (card.position.x < left.position.x ? card : left));
  const y = box.height / 2 - CARD.height / 2;
  void flow.setViewport({ x: MARGIN - first.position.x * zoom, y: y - first.position.y * zoom, zoom });
}

function Board() {
  const t = useTranslations("editor.canvas");
  const { state, readOnly, lines } = useEditor();
  const { nodes } = state.draft.definition.spec;
  const { cards, moving, setMoving } = useCards();
  const selecting = useSelecting(moving, setMoving);
  const connecting = useConnecting();
  const dropping = useDropping();
  const edges = useNeedLines(nodes, lines);
  useJumps();
  return (
    <ReactFlow<CardNode, NeedEdge>
      aria-label={t("label")}
      nodes={cards}
      edges={edges}
      nodeTypes={NODE_TYPES}
      edgeTypes={EDGE_TYPES}
      {...selecting}
      {...connecting}
      {...dropping}
      nodesDraggable={!readOnly}
      nodesConnectable={!readOnly}
      snapToGrid
      snapGrid={[GRID, GRID]}
      deleteKeyCode={null}
      multiSelectionKeyCode={["Shift", "Meta", "Control"]}
      selectionKeyCode="Shift"
      panOnScroll
      zoomOnDoubleClick={false}
      disableKeyboardA11y
      minZoom={0.1}
      maxZoom={1.6}
      onInit={opening}
      onlyRenderVisibleElements={nodes.length > 150}
      attributionPosition="top-right"
      className="!bg-ground [&_.react-flow__attribution]:!bg-transparent [&_.react-flow__attribution_a]:!text-ink-3"
    >
      <Background gap={GRID} size={1} color="var(--line-strong)" className="opacity-60" />
      <CanvasTools />
      {nodes.length === 0 ? (
        <Panel position="top-center" className="pointer-events-none !mt-[18vh] max-w-sm text-center text-body text-ink-2">
          {t("empty")}
        </Panel>
      ) : null}
    </ReactFlow>
  );
}

/** The drawing board. */
export function Canvas() {
  return (
    <ReactFlowProvider>
      <Board />
    </ReactFlowProvider>
  );
}
