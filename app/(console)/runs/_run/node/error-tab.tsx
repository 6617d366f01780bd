"use client";
import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { colorOf } from "@/app/_status/look";
import { NODE_LOOKS } from "@/app/_status/node-states";
import { Button } from "@/app/_ui/button";
import { CodeBlock } from "@/app/_ui/code-block";
import { CopyButton } from "@/app/_ui/copy-button";
import { EmptyState } from "@/app/_ui/empty-state";
import type { AttemptView, NodeView } from "../../views";
import { AnswerFacts } from "./answer-facts";

interface ErrorTabProps {
  node: NodeView;
  attempt: AttemptView | null;
  latest: boolean;
  onLogs: () => void;
}

export function ErrorTab({ node, attempt, latest, onLogs }: ErrorTabProps) {
  const t = useTranslations("run.error");
  const error = attempt?.error ?? (latest ? node.error : null);
  const outcome = attempt?.outcome ?? null;
  const failed = outcome !== null && outcome !== "succeeded" && outcome !== "handed_back";
  if (!error && !failed)
    return (
      <EmptyState compact title={t("none")}>
        {attempt ? t("noneBody") : null}
      </EmptyState>
    );
  return (
    <div className="flex flex-col gap-5 px-4 py-4">
      {error ? (
        <ErrorCard code={error.code} state={attempt?.state ?? node.state}>
          {outcome ? t(`outcome.${outcome}`) : t("ofNode")}
        </ErrorCard>
      ) : outcome ? (
        <p className="text-table">{t(`outcome.${outcome}`)}</p>
      ) : null}
      {error && error.message !== "" ? <CodeBlock wrapped title={t("message")} text={error.message} maxHeight="18rem" /> : null}
      {attempt?.response && Object.keys(attempt.response).length > 0 ? (
        <section className="flex flex-col gap-2">
          <h3 className="font-semibold text-table">{t("answer")}</h3>
          <AnswerFacts answer={attempt.response} label={t("answer")} />
        </section>
      ) : null}
      {attempt ? (
        <Button onClick={onLogs} className="self-start">
          {t("toLogs")}
        </Button>
      ) : null}
    </div>
  );
}

function ErrorCard({ code, state, children }: { code: string; state: NodeView["state"]; children: ReactNode }) {
  const t = useTranslations("run.error");
  return (
    <div style={{ borderColor: colorOf(NODE_LOOKS[state]) }} className="border-l-[3px] py-0.5 pl-3">
      <p className="flex items-center gap-1">
        <code className="min-w-0 break-all font-mono font-semibold text-body">{code}</code>
        <CopyButton text={code} label={t("copyCode")} />
      </p>
      <p className="text-ink-2 text-table">{children}</p>
    </div>
  );
}
