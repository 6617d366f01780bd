"use client";
import { useQuery } from "@tanstack/react-query";
import NextLink from "next/link";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { Link } from "@/app/_ui/link";
import { Panel } from "@/app/_ui/panel";
import { roleAllows } from "@/server/domain/access/roles";
import { useRoleIn } from "../_frame/project";
import { QueryState } from "../_query/query-state";
import { changedQuery } from "../_query/use-address";
import { AdviceLines, delaysText, type NodeAdvice, type Suggestion } from "./advice-lines";

/** Which delays helped after a code, node by node; a suggestion opens as the draft of a routing rule and changes nothing by itself. */
export function AdviceOfCode({ projectId, code }: { projectId: string; code: string }) {
  const t = useTranslations("advice");
  const trpc = useTRPC();
  const found = useQuery(trpc.advice.code.queryOptions({ projectId, code }));
  const role = useRoleIn(projectId);
  const mayDraft = role !== null && roleAllows(role, "routing.manage");
  return (
    <Panel title={t("title")} note={t("note")}>
      <QueryState query={found}>
        {(nodes) =>
          nodes.length === 0 ? (
            <p className="text-ink-3 text-table">{t("none")}</p>
          ) : (
            nodes.map((node) => (
              <AdviceLines
                key={`${node.pipeline.id}/${node.nodeKey}`}
                advice={node.advice}
                name={
                  <>
                    <Link prefetch={false} href={`/pipelines/${node.pipeline.id}`}>
                      {node.pipeline.title}
                    </Link>{" "}
                    <span className="font-mono text-meta">{node.nodeKey}</span>
                  </>
                }
                act={(suggestion) =>
                  mayDraft ? (
                    <div className="flex flex-wrap items-center gap-2">
                      <Button asChild size="sm">
                        <NextLink prefetch={false} href={ruleHref(node, suggestion)}>
                          {t("draftRule")}
                        </NextLink>
                      </Button>
                      <span className="text-ink-3 text-meta">{t("draftRuleHint")}</span>
                    </div>
                  ) : null
                }
              />
            ))
          )
        }
      </QueryState>
    </Panel>
  );
}

const ruleHref = ({ code, pipeline }: NodeAdvice, suggestion: Suggestion): string =>
  `/routing${changedQuery("", {
    ...{ draft: suggestion.kind === "stop" ? "fail" : "retry", code, pipeline: pipeline.name },
    delays: suggestion.kind === "delays" ? delaysText(suggestion.delaysMs) : null,
  })}`;
