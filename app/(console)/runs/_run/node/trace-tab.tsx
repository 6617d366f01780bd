"use client";
import { useTranslations } from "next-intl";
import { colorOf } from "@/app/_status/look";
import { NODE_LOOKS } from "@/app/_status/node-states";
import { useNow } from "@/app/_ui/clock";
import { EmptyState } from "@/app/_ui/empty-state";
import { spanText } from "@/app/_ui/instant";
import { JsonView } from "@/app/_ui/json-view";
import { type KeyValue, KeyValues } from "@/app/_ui/key-values";
import { Mono } from "@/app/_ui/mono";
import { Time } from "@/app/_ui/time";
import type { AttemptView, NodeView } from "../../views";
import { INSTANTS, instantOf, type Stage, stagesOf } from "../model/instants";

export function TraceTab({ node, attempt }: { node: NodeView; attempt: AttemptView | null }) {
  const t = useTranslations("run.trace");
  if (!attempt) {
    return (
      <EmptyState compact title={t("none")}>
        {t("noneBody")}
      </EmptyState>
    );
  }
  return (
    <div className="flex flex-col gap-5 px-4 py-4">
      <Waterfall attempt={attempt} />
      {attempt.handedOn ? <p className="text-ink-3 text-meta">{t("handedOn")}</p> : null}
      <Facts node={node} attempt={attempt} />
      {attempt.worker?.fingerprint ? (
        <section className="flex flex-col gap-1">
          <h3 className="text-ink-3 text-meta">{t("fingerprint")}</h3>
          <JsonView value={attempt.worker.fingerprint} label={t("fingerprint")} depth={1} maxHeight="16rem" />
        </section>
      ) : null}
    </div>
  );
}

function Waterfall({ attempt }: { attempt: AttemptView }) {
  const t = useTranslations("run.trace");
  const now = useNow(1000);
  const stages = stagesOf(attempt, now);
  const fromMs = stages[0]?.startMs ?? 0;
  const span = Math.max(1, (stages.at(-1)?.endMs ?? fromMs) - fromMs);
  return (
    <section aria-label={t("label")} className="flex flex-col text-table">
      {stages.map((stage) => (
        <StageRow key={stage.from} stage={stage} fromMs={fromMs} span={span} state={attempt.state} />
      ))}
      <p className="mt-1 flex justify-between border-t pt-1.5">
        <span className="text-ink-3">{t("total")}</span>
        <span className="tabular-nums">{spanText(span)}</span>
      </p>
      <ol className="mt-3 flex flex-col">
        {INSTANTS.map((instant) => (
          <li key={instant} className="flex justify-between gap-4 border-b py-1 last:border-b-0">
            <span className="text-ink-3">{t(`instant.${instant}`)}</span>
            <Time full precision="ms" none="–" at={instantOf(attempt, instant)} className="text-meta leading-5" />
          </li>
        ))}
      </ol>
    </section>
  );
}

interface StageRowProps {
  stage: Stage;
  fromMs: number;
  span: number;
  state: NodeView["state"];
}

function StageRow({ stage, fromMs, span, state }: StageRowProps) {
  const t = useTranslations("run.trace.stage");
  const works = stage.from === "executing";
  const left = ((stage.startMs - fromMs) / span) * 100;
  const width = ((stage.endMs - stage.startMs) / span) * 100;
  return (
    <div className="row-h grid grid-cols-[6rem_minmax(0,1fr)_4.5rem] items-center gap-3">
      <span className="truncate">{t(stage.from === "committed" ? "executing" : stage.from)}</span>
      <span aria-hidden="true" className="relative h-3 bg-sunk">
        <span
          style={{
            left: `${left}%`,
            width: `max(2px, ${width}%)`,
            color: works ? colorOf(NODE_LOOKS[state]) : "var(--ink-3)",
          }}
          className={works ? "absolute inset-y-0 bg-current" : "absolute inset-y-0 border border-current"}
        />
      </span>
      <span className="text-right tabular-nums">{spanText(stage.endMs - stage.startMs)}</span>
    </div>
  );
}

function Facts({ node, attempt }: { node: NodeView; attempt: AttemptView }) {
  const t = useTranslations("run.trace");
  const id = (value: string) => <Mono copy>{value}</Mono>;
  const { worker } = attempt;
  const items: KeyValue[] = [
    { key: "trace", label: t("traceId"), value: id(attempt.traceId), mono: true },
    { key: "span", label: t("spanId"), value: id(attempt.spanId), mono: true },
    { key: "execution", label: t("executionId"), value: id(attempt.executionId), mono: true },
    { key: "token", label: t("token"), value: attempt.token },
    { key: "group", label: t("group"), value: node.group },
    ...(worker ? [{ key: "worker", label: t("worker"), value: id(worker.id), mono: true }] : []),
    ...(worker?.boot ? [{ key: "boot", label: t("boot"), value: <Mono short>{worker.boot}</Mono> }] : []),
  ];
  return <KeyValues items={items} />;
}
