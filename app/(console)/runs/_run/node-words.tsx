"use client";
import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { useStateWord } from "@/app/_status/state-badge";
import { Duration } from "@/app/_ui/duration";
import { Time } from "@/app/_ui/time";
import type { NodeView } from "../views";

export const nodeTitle = (node: Pick<NodeView, "key" | "title">): string => node.title ?? node.key;

/** What a node's state means just now: how long, until when, because of what. */
export function NodeDetail({ node, codes = true }: { node: NodeView; codes?: boolean }): ReactNode {
  const t = useTranslations("run.card");
  if (node.held) return t("held");
  switch (node.state) {
    case "PENDING":
      return node.needs.length === 0 ? null : t("waitsFor", { keys: node.needs.join(", ") });
    case "QUEUED":
      return node.waitsFor ? <LimitLine wait={node.waitsFor} /> : <Duration since={node.times.queuedAt} />;
    case "RUNNING":
    case "AWAITING_APPROVAL":
      return <Duration since={node.times.startedAt} />;
    case "RETRYING":
      return node.times.dueAt ? <Time relative at={node.times.dueAt} /> : null;
    case "SKIPPED":
      return node.skipCause ? t(`skipped.${node.skipCause}`) : null;
    case "SUCCESS":
      return node.completedBy === "person" ? t("byPerson") : <Ran node={node} />;
    case "FAILED":
    case "TIMEOUT":
    case "MANUAL_REVIEW":
      return codes && node.error ? <span className="font-mono">{node.error.code}</span> : <Ran node={node} />;
    case "CANCELED":
      return <Ran node={node} />;
  }
}

/** Which limit keeps a queued node, and how full it is; or which stop valve, and why it was closed. */
function LimitLine({ wait }: { wait: NonNullable<NodeView["waitsFor"]> }) {
  const t = useTranslations("run.card.limit");
  if (wait.kind === "valve") return t("valve", { no: wait.no, reason: wait.reason });
  const { kind, name, slots, taken } = wait;
  return slots === null ? t("missing", { name }) : t(kind, { name, slots, taken });
}

const Ran = ({ node }: { node: NodeView }) =>
  node.times.startedAt && node.times.endedAt ? <Duration since={node.times.startedAt} until={node.times.endedAt} /> : null;

/** State and detail in one line, as cards and lists show it. */
export function NodeLine({ node }: { node: NodeView }) {
  const word = useStateWord();
  const detail = <NodeDetail node={node} />;
  return (
    <>
      <span className="text-ink">{word({ of: "node", state: node.state })}</span>
      <span className="before:mx-1 before:content-['·'] empty:hidden">{detail}</span>
    </>
  );
}
