"use client";
import { Gauge, RotateCcw, ShieldCheck, TriangleAlert } from "lucide-react";
import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { DEFAULT_GROUP, type NodeDefinition } from "@/server/domain/pipeline/definition";
import type { Problem } from "./model/problems";
import { useProblemText } from "./problem-text";

function Mark({ label, children }: { label: string; children: ReactNode }) {
  return (
    <span role="img" aria-label={label} title={label} className="flex h-4 items-center gap-0.5 text-ink-3 text-meta">
      {children}
    </span>
  );
}

/** What is unusual about a node, as small signs on its card. */
export function NodeMarks({ node, problems }: { node: NodeDefinition; problems: readonly Problem[] }) {
  const t = useTranslations("editor.mark");
  const text = useProblemText();
  const [problem] = problems;
  const retries = "policy" in node.retry ? (node.retry.policy === "none" ? 0 : null) : node.retry.retries;
  return (
    <span className="flex shrink-0 items-center gap-1.5">
      {node.group === DEFAULT_GROUP ? null : (
        <span className="max-w-20 truncate text-ink-3 text-meta max-sm:hidden" title={t("group", { group: node.group })}>
          {node.group}
        </span>
      )}
      {retries === null ? null : (
        <Mark label={retries === 0 ? t("noRetry") : t("retries", { n: retries })}>
          <RotateCcw size={11} aria-hidden="true" />
          {retries}
        </Mark>
      )}
      {node.idempotent ? (
        <Mark label={t("idempotent")}>
          <ShieldCheck size={12} aria-hidden="true" />
        </Mark>
      ) : null}
      {node.pool === undefined ? null : (
        <Mark label={t("pool", { pool: node.pool })}>
          <Gauge size={12} aria-hidden="true" />
        </Mark>
      )}
      {problem === undefined ? null : (
        <span
          role="img"
          aria-label={t("problems", { n: problems.length, first: text(problem) })}
          title={problems.map(text).join("\n")}
          className="flex h-4 items-center gap-0.5 text-meta text-state-failed"
        >
          <TriangleAlert size={13} aria-hidden="true" />
          {problems.length > 1 ? problems.length : null}
        </span>
      )}
    </span>
  );
}
