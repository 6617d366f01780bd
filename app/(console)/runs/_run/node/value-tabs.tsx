"use client";
import { useTranslations } from "next-intl";
import { EmptyState } from "@/app/_ui/empty-state";
import { JsonView } from "@/app/_ui/json-view";
import { KeyValues } from "@/app/_ui/key-values";
import { Mono } from "@/app/_ui/mono";
import type { AttemptView, NodeView } from "../../views";
import { AnswerFacts } from "./answer-facts";

interface ValueTabProps {
  node: NodeView;
  attempt: AttemptView | null;
}

export function InputsTab({ node, attempt }: ValueTabProps) {
  const t = useTranslations("run.inputs");
  if (attempt === null || attempt.inputs === null || attempt.inputs === undefined) {
    return (
      <EmptyState compact title={t("none")}>
        {t("noneBody")}
      </EmptyState>
    );
  }
  const refs = Object.entries(attempt.refs);
  return (
    <div className="flex flex-col gap-4 px-4 py-4">
      <JsonView value={attempt.inputs} label={t("label", { node: node.key })} depth={3} />
      <p className="text-ink-3 text-meta">{t("secrets")}</p>
      {refs.length > 0 ? (
        <section className="flex flex-col gap-1">
          <h3 className="font-semibold text-table">{t("refs")}</h3>
          <KeyValues
            items={refs.map(([key, id]) => ({
              key,
              label: key,
              value: (
                <Mono short copy>
                  {id}
                </Mono>
              ),
            }))}
          />
        </section>
      ) : null}
    </div>
  );
}

const isNothing = (value: unknown) => value === null || value === undefined;

export function OutputTab({ node, attempt, latest }: ValueTabProps & { latest: boolean }) {
  const t = useTranslations("run.output");
  const byPerson = latest && node.completedBy === "person";
  const output = byPerson ? node.output : (attempt?.output ?? null);
  const answer = attempt?.response && Object.keys(attempt.response).length > 0 ? attempt.response : null;
  if (isNothing(output) && (answer === null || byPerson)) {
    return (
      <EmptyState compact title={t("none")}>
        {byPerson ? t("byPerson") : t(attempt?.outcome ? "noneEnded" : "noneLive")}
      </EmptyState>
    );
  }
  return (
    <div className="flex flex-col gap-4 px-4 py-4">
      {byPerson ? <p className="text-ink-2 text-table">{t("byPerson")}</p> : null}
      {isNothing(output) ? null : <JsonView value={output} label={t("label", { node: node.key })} depth={3} />}
      {answer && !byPerson ? (
        <section className="flex flex-col gap-2">
          <h3 className="font-semibold text-table">{t("response")}</h3>
          <AnswerFacts answer={answer} label={t("response")} />
        </section>
      ) : null}
    </div>
  );
}
