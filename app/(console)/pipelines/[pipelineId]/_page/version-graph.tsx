"use client";
import Link from "next/link";
import { useTranslations } from "next-intl";
import { useLayoutEffect, useMemo, useRef, useState } from "react";
import { colorOf } from "@/app/_status/look";
import { NODE_LOOKS } from "@/app/_status/node-states";
import { StateDot, useStateWord } from "@/app/_status/state-badge";
import { NodeCard } from "@/app/_ui/node-card";
import { NodeTypeIcon } from "@/app/_ui/node-type-icon";
import type { NodeDefinition } from "@/server/domain/pipeline/definition";
import type { NodeState } from "@/server/domain/run/states";
import { completeLayout } from "../_editor/model/auto-layout";
import { nodeSummary } from "../_editor/model/node-summary";
import { drawGraph, type Point } from "./model/version-graph";

interface VersionGraphProps {
  nodes: readonly NodeDefinition[];
  layout: Readonly<Record<string, Point>>;
  /** Of the last run, by key. */
  states: ReadonlyMap<string, NodeState>;
  /** Where a press of a card leads. */
  runId: string | null;
}

/** Below this a card can no longer be read: then the graph scrolls. */
const SMALLEST = 0.62;

function useRoom() {
  const ground = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = ground.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    setWidth(element.clientWidth);
    return () => observer.disconnect();
  }, []);
  return { ground, width };
}

/** The live version as its author laid it out, coloured by how its last run went. */
export function VersionGraph({ nodes, layout, states, runId }: VersionGraphProps) {
  const t = useTranslations("pipeline.graph");
  const { ground, width } = useRoom();
  const drawn = useMemo(() => drawGraph(nodes, completeLayout(nodes, layout)), [nodes, layout]);
  const scale = width === 0 ? 1 : Math.max(SMALLEST, Math.min(1, width / drawn.width));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div ref={ground} tabIndex={0} className="max-h-[30rem] overflow-auto outline-offset-[-2px]">
      <div className="relative mx-auto" style={{ width: drawn.width * scale, height: drawn.height * scale }}>
        <div
          className="absolute top-0 left-0 origin-top-left"
          style={{ width: drawn.width, height: drawn.height, transform: `scale(${scale})` }}
        >
          <svg width={drawn.width} height={drawn.height} aria-hidden="true" fill="none" className="absolute inset-0 text-edge">
            {drawn.lines.map((line) => (
              <path key={`${line.from} ${line.to}`} d={line.path} stroke="currentColor" strokeWidth="1.5" />
            ))}
          </svg>
          <ul aria-label={t("label", { n: nodes.length })}>
            {nodes.map((node) => {
              const place = drawn.places.get(node.key);
              return place ? (
                <li key={node.key} className="absolute" style={{ left: place.x, top: place.y }}>
                  <Card node={node} state={states.get(node.key)} runId={runId} />
                </li>
              ) : null;
            })}
          </ul>
        </div>
      </div>
    </div>
  );
}

function Card({ node, state, runId }: { node: NodeDefinition; state: NodeState | undefined; runId: string | null }) {
  const word = useStateWord();
  const look = state === undefined ? null : NODE_LOOKS[state];
  const card = (
    <NodeCard
      icon={<NodeTypeIcon type={node.type} />}
      title={node.title ?? node.key}
      line={nodeSummary(node)}
      mark={state === undefined ? null : <StateDot of="node" state={state} />}
      color={look ? colorOf(look) : undefined}
      edge={look?.fill}
      dashed={state === undefined || state === "PENDING" || state === "SKIPPED"}
    />
  );
  if (runId === null || state === undefined) return card;
  return (
    <Link
      href={`/runs/${runId}?node=${node.key}`}
      aria-label={`${node.title ?? node.key}: ${word({ of: "node", state })}`}
      className="block rounded-md hover:brightness-[0.97]"
    >
      {card}
    </Link>
  );
}
