"use client";
import { skipToken, useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { failureOf } from "@/app/_trpc/failure";
import { ErrorState } from "@/app/_ui/error-state";
import { SkeletonRows } from "@/app/_ui/skeleton";
import type { AttemptView, NodeView } from "../../views";
import { nodeTitle } from "../node-words";
import { useRun } from "../run-context";

interface WholeAttemptProps {
  node: NodeView;
  attempt: AttemptView | null;
  children: (node: NodeView, attempt: AttemptView | null) => ReactNode;
}

/** Shows an attempt with what it took and gave; what the run's own view leaves out, since it is large, is fetched here. */
export function WholeAttempt({ node, attempt, children }: WholeAttemptProps) {
  const t = useTranslations("run.node");
  const trpc = useTRPC();
  const { run } = useRun();
  const lacks = attempt !== null && (attempt.bodiesOmitted || node.outputOmitted);
  const place = lacks ? { runId: run.id, key: node.key, generation: attempt.generation, no: attempt.no } : skipToken;
  const asked = useQuery(trpc.runs.attempt.queryOptions(place));
  if (!lacks) return children(node, attempt);
  if (asked.isPending) return <SkeletonRows rows={4} label={t("label", { node: nodeTitle(node) })} />;
  if (asked.error) {
    return <ErrorState className="m-4" detail={failureOf(asked.error)?.message ?? ""} onRetry={() => void asked.refetch()} />;
  }
  const { accepted, ...bodies } = asked.data;
  return children(node.outputOmitted ? { ...node, output: accepted } : node, { ...attempt, ...bodies });
}
