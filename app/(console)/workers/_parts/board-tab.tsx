"use client";
import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { CrossedSquare, DottedCircle, Tick } from "@/app/_status/glyphs";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { Panel } from "@/app/_ui/panel";
import { Segmented } from "@/app/_ui/segmented";
import { Time } from "@/app/_ui/time";
import { QueryState } from "../../_query/query-state";
import { BreakerDialog } from "./breaker-dialog";
import { HeatMap } from "./heat-map";
import type { BoardView, BreakerView, WorkerView } from "./views";

const EVERY_MS = 10_000;
const HOURS = { "1": 1, "6": 6, "24": 24 } as const;
type Hours = keyof typeof HOURS;

interface BoardTabProps {
  mayHold: boolean;
  workers: readonly WorkerView[];
  breakers: readonly BreakerView[];
}

/** Workers × codes: which of the two is to blame (EXC-6). */
export function BoardTab({ mayHold, workers, breakers }: BoardTabProps) {
  const t = useTranslations("workers.board");
  const trpc = useTRPC();
  const [hours, setHours] = useState<Hours>("6");
  const board = useQuery({
    ...trpc.breakers.board.queryOptions({ hours: HOURS[hours] }),
    refetchInterval: EVERY_MS,
    placeholderData: (before) => before,
  });
  const [holding, setHolding] = useState<WorkerView | null>(null);
  const isHoldable = (id: string) => mayHold && !breakers.some((each) => each.workerId === id && each.state === "held");
  const span = (
    <Segmented
      label={t("span")}
      value={hours}
      onValue={setHours}
      options={[
        { value: "1", label: t("hours", { n: 1 }) },
        { value: "6", label: t("hours", { n: 6 }) },
        { value: "24", label: t("hours", { n: 24 }) },
      ]}
    />
  );
  return (
    <div className="px-4 pb-8 md:px-6">
      <Panel
        title={t("title")}
        note={board.data ? t.rich("since", { time: () => <Time at={board.data?.since} precision="minute" /> }) : null}
        actions={span}
      >
        <QueryState query={board}>
          {(shown) =>
            shown.cells.length === 0 ? (
              <EmptyState title={t("empty.title")}>{t("empty.body")}</EmptyState>
            ) : (
              <div className="flex flex-col gap-4 pt-2">
                <VerdictNote
                  board={shown}
                  holdable={(id) => (isHoldable(id) ? (workers.find((each) => each.id === id) ?? null) : null)}
                  onHold={setHolding}
                />
                <HeatMap board={shown} />
                <p className="max-w-prose text-ink-3 text-meta">{t("counted", { n: shown.mostOfEach })}</p>
              </div>
            )
          }
        </QueryState>
      </Panel>
      {holding ? (
        <BreakerDialog
          workerId={holding.id}
          act="hold"
          seen={breakers.find((each) => each.workerId === holding.id)?.state ?? "closed"}
          active={holding.active}
          onClose={() => setHolding(null)}
        />
      ) : null}
    </div>
  );
}

interface VerdictNoteProps {
  board: BoardView;
  holdable: (id: string) => WorkerView | null;
  onHold: (worker: WorkerView) => void;
}

function VerdictNote({ board: { verdict, workers }, holdable, onHold }: VerdictNoteProps) {
  const t = useTranslations("workers.board.verdict");
  if (verdict.kind !== "told") {
    const Glyph = verdict.kind === "quiet" ? Tick : DottedCircle;
    return (
      <p className="flex max-w-prose items-start gap-2 text-body">
        <span className={verdict.kind === "quiet" ? "mt-0.5 shrink-0 text-state-success" : "mt-0.5 shrink-0 text-state-queued"}>
          <Glyph size={16} />
        </span>
        {t(verdict.kind)}
      </p>
    );
  }
  return (
    <ul aria-label={t("label")} className="flex flex-col gap-2">
      {verdict.blames.map((blame) => {
        const worker = blame.kind === "worker" ? holdable(blame.worker) : null;
        return (
          <li key={blame.kind === "job" ? blame.code : blame.worker} className="flex max-w-prose items-start gap-2 text-body">
            <span className="mt-0.5 shrink-0 text-state-failed">
              <CrossedSquare size={16} />
            </span>
            <span className="min-w-0 flex-1">
              <span className="font-semibold">{t(blame.kind)}</span>{" "}
              <span className="break-all font-mono text-table">{blame.kind === "job" ? blame.code : blame.worker}</span>
              <span className="block text-ink-2 text-table">
                {blame.kind === "job"
                  ? t("jobWhy", { workers: blame.workers, all: workers.length, n: blame.count })
                  : t("workerWhy", { codes: blame.codes, n: blame.count })}
              </span>
            </span>
            {worker ? (
              <Button size="sm" onClick={() => onHold(worker)}>
                {t("hold")}
              </Button>
            ) : null}
          </li>
        );
      })}
    </ul>
  );
}
