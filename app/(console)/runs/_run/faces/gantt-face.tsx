"use client";
import { useTranslations } from "next-intl";
import { colorOf } from "@/app/_status/look";
import { NODE_LOOKS } from "@/app/_status/node-states";
import { StateDot } from "@/app/_status/state-badge";
import { cn } from "@/app/_ui/class-names";
import { useNow } from "@/app/_ui/clock";
import { EmptyState } from "@/app/_ui/empty-state";
import { spanText } from "@/app/_ui/instant";
import { Time } from "@/app/_ui/time";
import { isTerminalRun } from "@/server/domain/run/states";
import type { NodeView, RunView } from "../../views";
import { type Gantt, type GanttBar, layOutGantt, shareAt } from "../model/gantt";
import { nodeTitle } from "../node-words";
import { retryNo } from "../run-card";
import { useWide } from "../use-wide";

interface GanttFaceProps {
  run: RunView;
  selected: string | null;
  onSelect: (key: string) => void;
}

const percent = (share: number) => `${(share * 100).toFixed(3)}%`;

export function GanttFace({ run, selected, onSelect }: GanttFaceProps) {
  const t = useTranslations("run.gantt");
  const now = useNow(1000);
  const wide = useWide();
  const start = run.times.startedAt ?? run.times.createdAt;
  const end = isTerminalRun(run.state) ? run.times.endedAt : null;
  const gantt = layOutGantt(
    run.nodes,
    { startMs: start.getTime(), endMs: end?.getTime() ?? null },
    Math.max(now, start.getTime()),
    wide ? 6 : 3,
  );
  if (gantt.rows.every((row) => row.bars.length === 0)) return <EmptyState title={t("empty")} />;
  const nodes = new Map(run.nodes.map((node) => [node.key, node]));
  return (
    <div className="min-h-0 flex-1 overflow-auto">
      <div className="min-w-full pb-4 text-table md:min-w-[34rem]">
        <Scale gantt={gantt} label={t("fromStart")} node={t("node")} startedAt={start} />
        <ul aria-label={t("label")}>
          {gantt.rows.map((row) => {
            const node = nodes.get(row.key);
            return node ? (
              <Row key={row.key} gantt={gantt} node={node} bars={row.bars} chosen={row.key === selected} onSelect={onSelect} />
            ) : null;
          })}
        </ul>
        <Legend />
      </div>
    </div>
  );
}

const COLUMNS = "grid grid-cols-[9rem_minmax(0,1fr)] sm:grid-cols-[minmax(8rem,13rem)_minmax(0,1fr)]";

function Scale({ gantt, label, node, startedAt }: { gantt: Gantt; label: string; node: string; startedAt: Date }) {
  return (
    <div className={cn(COLUMNS, "sticky top-0 z-10 h-8 border-line-strong border-b bg-ground text-ink-3 text-meta")}>
      <span className="flex items-center gap-2 truncate px-4 md:pl-6">{node}</span>
      <span title={label} className="relative mr-6">
        {gantt.ticksMs.map((ms) => (
          <span
            key={ms}
            style={{ left: percent(shareAt(gantt, ms)) }}
            className="absolute bottom-1.5 -translate-x-1/2 whitespace-nowrap tabular-nums first:translate-x-0"
          >
            {ms === gantt.fromMs ? <Time bare at={startedAt} /> : `+${spanText(ms - gantt.fromMs)}`}
          </span>
        ))}
      </span>
    </div>
  );
}

interface RowProps {
  gantt: Gantt;
  node: NodeView;
  bars: readonly GanttBar[];
  chosen: boolean;
  onSelect: (key: string) => void;
}

function Row({ gantt, node, bars, chosen, onSelect }: RowProps) {
  return (
    <li>
      <button
        type="button"
        aria-pressed={chosen}
        onClick={() => onSelect(node.key)}
        className={cn(
          COLUMNS,
          "row-h w-full border-b text-left outline-offset-[-2px] hover:bg-hover",
          chosen && "bg-selected hover:bg-selected",
        )}
      >
        <span className="flex min-w-0 items-center gap-2 px-4 md:pl-6">
          <StateDot of="node" state={node.state} retryNo={retryNo(node)} />
          <span className="truncate">{nodeTitle(node)}</span>
        </span>
        <span className="relative mr-6 h-full">
          {gantt.ticksMs.map((ms) => (
            <span key={ms} aria-hidden="true" style={{ left: percent(shareAt(gantt, ms)) }} className="absolute inset-y-0 w-px bg-line" />
          ))}
          {bars.map((bar) => (
            <Bar key={bar.key} gantt={gantt} node={node} bar={bar} />
          ))}
        </span>
      </button>
    </li>
  );
}

function Bar({ gantt, node, bar }: { gantt: Gantt; node: NodeView; bar: GanttBar }) {
  const t = useTranslations("run.gantt");
  const look = NODE_LOOKS[bar.state];
  const from = shareAt(gantt, bar.startMs);
  const width = shareAt(gantt, bar.endMs) - from;
  const label = t("bar", { node: node.key, no: bar.no, kind: t(bar.kind), span: spanText(bar.endMs - bar.startMs) });
  return (
    <span
      role="img"
      aria-label={label}
      title={label}
      style={{ left: percent(from), width: `max(3px, ${percent(width)})`, color: bar.kind === "works" ? colorOf(look) : "var(--ink-3)" }}
      className={cn(
        "absolute top-1/2 -translate-y-1/2 rounded-[1px]",
        bar.kind === "works" && "h-4 bg-current",
        bar.kind === "works" && look.fill === "hatched" && "hatch",
        bar.kind === "works" && look.fill === "hollow" && "border border-current bg-transparent",
        bar.kind === "works" && bar.open && "rounded-r-full",
        bar.kind === "waits" && "h-2 border border-current border-r-0",
        bar.kind === "rests" && "h-0 border-current border-t border-dashed",
      )}
    />
  );
}

function Legend() {
  const t = useTranslations("run.gantt");
  return (
    <p className="flex flex-wrap gap-x-5 gap-y-1 px-4 pt-3 text-ink-3 text-meta md:pl-6">
      <span className="flex items-center gap-1.5">
        <span aria-hidden="true" className="h-2 w-5 border border-current" />
        {t("waits")}
      </span>
      <span className="flex items-center gap-1.5">
        <span aria-hidden="true" className="h-3 w-5 bg-current" />
        {t("works")}
      </span>
      <span className="flex items-center gap-1.5">
        <span aria-hidden="true" className="w-5 border-current border-t border-dashed" />
        {t("rests")}
      </span>
    </p>
  );
}
