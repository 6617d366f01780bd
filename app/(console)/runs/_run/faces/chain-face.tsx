"use client";
import { useTranslations } from "next-intl";
import type { NodeView } from "../../views";
import { RunCard } from "../run-card";

interface ChainFaceProps {
  nodes: readonly NodeView[];
  selected: string | null;
  onSelect: (key: string) => void;
}

/** One after the other, for a narrow screen: nothing to pan, one thumb is enough. */
export function ChainFace({ nodes, selected, onSelect }: ChainFaceProps) {
  const t = useTranslations("run.graph");
  return (
    <ol aria-label={t("chain")} className="flex flex-col px-4 py-4 md:px-6">
      {nodes.map((node, index) => (
        <li key={node.key}>
          {index > 0 ? <span aria-hidden="true" className="ml-5 block h-4 w-px bg-line-strong" /> : null}
          <button
            type="button"
            aria-pressed={node.key === selected}
            onClick={() => onSelect(node.key)}
            className="block w-full rounded-md text-left"
          >
            <RunCard wide node={node} selected={node.key === selected} />
          </button>
        </li>
      ))}
    </ol>
  );
}
