"use client";
import { useTranslations } from "next-intl";
import { type ComponentProps, useState } from "react";
import { StateBadge } from "@/app/_status/state-badge";
import { EmptyState } from "@/app/_ui/empty-state";
import { Mono } from "@/app/_ui/mono";
import { NodeTypeIcon } from "@/app/_ui/node-type-icon";
import { type Tab, Tabs } from "@/app/_ui/tabs";
import { Time } from "@/app/_ui/time";
import { NodeActs } from "../../_act/node-acts";
import { LogPane } from "../../_logs/log-pane";
import type { AttemptView, NodeView } from "../../views";
import { attemptKey, chosenAttempt, inOrder, stateSince } from "../model/attempts";
import { firstTab, NODE_TABS, type NodeTab } from "../model/first-look";
import { NodeDetail, nodeTitle } from "../node-words";
import { retryNo } from "../run-card";
import { useRun } from "../run-context";
import { AttemptChips } from "./attempt-chips";
import { ErrorTab } from "./error-tab";
import { HistoryTab } from "./history-tab";
import { TraceTab } from "./trace-tab";
import { InputsTab, OutputTab } from "./value-tabs";
import { WholeAttempt } from "./whole-attempt";

interface NodePanelProps {
  node: NodeView;
  tab: NodeTab | null;
  attempt: string | null;
  onTab: (tab: NodeTab) => void;
  onAttempt: (key: string) => void;
  /** In a drawer, whose title is the node already. */
  bare?: boolean;
}

/** Everything about one node. Mount it anew for another node: its first tab is chosen once. */
export function NodePanel({ node, tab, attempt: wanted, onTab, onAttempt, bare }: NodePanelProps) {
  const t = useTranslations("run.node");
  const kinds = useTranslations("ui.nodeType");
  const { run } = useRun();
  const [first] = useState(() => firstTab(node));
  const attempt = chosenAttempt(node, wanted);
  const latest = attempt === null || attempt === inOrder(node.attempts).at(-1);
  const whole = (show: ComponentProps<typeof WholeAttempt>["children"]) => (
    <WholeAttempt node={node} attempt={attempt}>
      {show}
    </WholeAttempt>
  );
  const contents: Record<NodeTab, Tab["content"]> = {
    error: whole((each, its) => <ErrorTab node={each} attempt={its} latest={latest} onLogs={() => onTab("logs")} />),
    inputs: whole((each, its) => <InputsTab node={each} attempt={its} />),
    output: whole((each, its) => <OutputTab node={each} attempt={its} latest={latest} />),
    logs: <Logs runId={run.id} node={node} attempt={attempt} />,
    trace: <TraceTab node={node} attempt={attempt} />,
    history: <HistoryTab node={node} />,
  };
  return (
    <section aria-label={t("label", { node: nodeTitle(node) })} className="flex h-full min-h-0 flex-col">
      <header className="flex flex-col gap-2.5 px-4 pt-3 pb-2">
        <div className="flex min-h-7 items-start gap-2">
          {bare ? null : (
            <h2 className="flex min-w-0 flex-1 items-center gap-2 pt-0.5 font-semibold text-title">
              <span title={kinds(node.type)} className="shrink-0 text-ink-3">
                <NodeTypeIcon type={node.type} size={16} />
              </span>
              <span className="min-w-0 break-words">{nodeTitle(node)}</span>
              {node.title ? <Mono className="font-normal text-ink-3 text-meta">{node.key}</Mono> : null}
            </h2>
          )}
          <NodeActs node={node} />
        </div>
        <NodeStanding node={node} />
        <AttemptChips attempts={node.attempts} chosen={attempt} onChoose={onAttempt} />
      </header>
      <Tabs<NodeTab>
        label={t("tabs.label")}
        value={tab ?? first}
        onValue={onTab}
        className="flex-1 [&>[role=tablist]]:px-4"
        contentClassName="overflow-y-auto data-[state=inactive]:hidden"
        tabs={NODE_TABS.map((each) => ({
          value: each,
          label: each === "error" && node.error ? <ErrorTabName name={t("tabs.error")} /> : t(`tabs.${each}`),
          content: contents[each],
        }))}
      />
    </section>
  );
}

const ErrorTabName = ({ name }: { name: string }) => (
  <>
    {name}
    <span aria-hidden="true" className="size-1.5 rounded-[1px] bg-state-failed" />
  </>
);

function NodeStanding({ node }: { node: NodeView }) {
  const t = useTranslations("run.node");
  const since = stateSince(node);
  const inner = node.attempts.reduce((sum, attempt) => sum + attempt.innerRetries, 0);
  const instants = (["dueAt", "timeoutAt", "deadlineAt"] as const).filter((key) => node.times[key] !== null);
  return (
    <div className="flex flex-col gap-1 text-table">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <StateBadge boxed of="node" state={node.state} retryNo={retryNo(node)} />
        {since ? (
          <span className="text-ink-2">
            {t("since")} <Time at={since} />
          </span>
        ) : null}
        <span className="text-ink-2">
          <NodeDetail node={node} codes={false} />
        </span>
      </p>
      {node.held ? <p className="text-ink-2">{t("held")}</p> : null}
      {node.maybeRepeated ? <p className="border-state-review border-l-2 pl-2 text-ink-2">{t("maybeRepeated")}</p> : null}
      {inner > 0 ? <p className="border-state-retrying border-l-2 pl-2 text-ink-2">{t("innerRetries", { n: inner })}</p> : null}
      {instants.length > 0 && node.times.endedAt === null ? (
        <p className="flex flex-wrap gap-x-4 text-ink-3 text-meta">
          {instants.map((key) => (
            <span key={key}>
              {t(key)} <Time at={node.times[key]} className="text-ink-2" />
            </span>
          ))}
        </p>
      ) : null}
    </div>
  );
}

function Logs({ runId, node, attempt }: { runId: string; node: NodeView; attempt: AttemptView | null }) {
  const t = useTranslations("run.logs");
  if (!attempt) {
    return (
      <EmptyState compact title={t("empty")}>
        {t("emptyNone")}
      </EmptyState>
    );
  }
  return <LogPane key={attemptKey(attempt)} place={{ runId, key: node.key, generation: attempt.generation, attempt: attempt.no }} />;
}
