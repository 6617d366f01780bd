"use client";
import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { Mono } from "@/app/_ui/mono";
import { formatDuration } from "@/server/domain/duration";
import type { NodeDefinition } from "@/server/domain/pipeline/definition";
import { AdviceLines, type Suggestion } from "../../../../_advice/advice-lines";
import { type EditorPlace, useEditor } from "../editor-context";

interface RetryAdviceProps {
  node: NodeDefinition;
  /** Writes the node's `retry` into the draft. */
  onTake: (suggestion: Suggestion) => void;
}

/** What the node's own history says of its retries, code by code; nothing where it has none yet. */
export function RetryAdvice(props: RetryAdviceProps) {
  const { place } = useEditor().choices;
  return place === null ? null : <Known {...props} place={place} />;
}

function Known({ node, onTake, place }: RetryAdviceProps & { place: EditorPlace }) {
  const t = useTranslations("advice");
  const trpc = useTRPC();
  const { readOnly } = useEditor();
  const found = useQuery({ ...trpc.advice.node.queryOptions({ ...place, nodeKey: node.key }), retry: false });
  if (!found.data || found.data.length === 0) return null;
  return (
    <section className="flex flex-col border-line-strong border-t pt-2">
      <h3 className="font-semibold text-table">{t("ofNode")}</h3>
      <p className="text-ink-3 text-meta">{t("ofNodeHint")}</p>
      {found.data.map(({ code, advice }) => (
        <AdviceLines
          key={code}
          name={<Mono className="break-all">{code}</Mono>}
          advice={advice}
          act={(suggestion) =>
            readOnly ? null : (
              <Button size="sm" className="self-start" onClick={() => onTake(suggestion)}>
                {t("take")}
              </Button>
            )
          }
        />
      ))}
    </section>
  );
}

/** A suggestion as the `retry` of a node that is tried `retries` times. */
export const retryOf = (suggestion: Suggestion, retries: number): NodeDefinition["retry"] =>
  suggestion.kind === "stop"
    ? { policy: "none" }
    : { retries: Math.max(retries, 1), delays: suggestion.delaysMs.map(formatDuration), jitter: [0.3, 0.7] };
