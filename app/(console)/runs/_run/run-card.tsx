"use client";
import { useTranslations } from "next-intl";
import { colorOf } from "@/app/_status/look";
import { NODE_LOOKS } from "@/app/_status/node-states";
import { StateDot } from "@/app/_status/state-badge";
import { NodeCard } from "@/app/_ui/node-card";
import { NodeTypeIcon } from "@/app/_ui/node-type-icon";
import type { NodeView } from "../views";
import { NodeLine, nodeTitle } from "./node-words";

/** The number that the glyph of a retry carries: which retry comes next. */
export const retryNo = (node: Pick<NodeView, "state" | "attempts" | "generation">): number | undefined =>
  node.state === "RETRYING" ? node.attempts.filter((attempt) => attempt.generation === node.generation).length : undefined;

export function RunCard({ node, selected, wide }: { node: NodeView; selected: boolean; wide?: boolean }) {
  const t = useTranslations("run.card");
  const look = NODE_LOOKS[node.state];
  return (
    <NodeCard
      wide={wide}
      selected={selected}
      dashed={node.state === "PENDING" || node.state === "SKIPPED"}
      color={node.state === "PENDING" ? undefined : colorOf(look)}
      edge={look.fill}
      icon={<NodeTypeIcon type={node.type} size={17} />}
      title={nodeTitle(node)}
      line={<NodeLine node={node} />}
      mark={<StateDot of="node" state={node.state} retryNo={retryNo(node)} size={16} />}
      notes={
        node.attempts.length > 1 ? (
          <span title={t("attempts", { n: node.attempts.length })} className="shrink-0 tabular-nums">
            {`×${node.attempts.length}`}
          </span>
        ) : undefined
      }
    />
  );
}
