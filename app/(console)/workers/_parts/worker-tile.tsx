"use client";
import { useTranslations } from "next-intl";
import { type ReactNode, useState } from "react";
import { CrossedSquare, HollowCircle, SlashedCircle, TurningArc, TwoBars } from "@/app/_status/glyphs";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { cn } from "@/app/_ui/class-names";
import { spanText } from "@/app/_ui/instant";
import { Time } from "@/app/_ui/time";
import { type BreakerAct, BreakerDialog } from "./breaker-dialog";
import { BreakerNote } from "./breaker-note";
import { DrainDialog } from "./drain-dialog";
import { bytesText, refusalWord, standingOf, type Vitals, vitalsOf, type WorkerStanding } from "./model/vitals";
import type { BreakerView, WorkerView } from "./views";

const MARKS: Record<WorkerStanding, { glyph: typeof TurningArc; color: string }> = {
  working: { glyph: TurningArc, color: "text-state-running" },
  idle: { glyph: HollowCircle, color: "text-state-success" },
  draining: { glyph: SlashedCircle, color: "text-state-paused" },
  refusing: { glyph: TwoBars, color: "text-state-retrying" },
  gone: { glyph: CrossedSquare, color: "text-state-failed" },
};

/** Above these a worker refuses, or soon will. */
const HIGH = { memory: 0.88, disk: 0.78 } as const;
const HIGH_LAG_MS = 200;

/** One worker: how it stands, how full it is, how its machine does. */
export function WorkerTile({ worker, breaker, mayDrain }: { worker: WorkerView; breaker: BreakerView | undefined; mayDrain: boolean }) {
  const t = useTranslations("workers.tile");
  const [asking, setAsking] = useState<"drain" | BreakerAct | null>(null);
  const close = () => setAsking(null);
  const standing = standingOf(worker);
  const { glyph: Glyph, color } = MARKS[standing];
  const vitals = vitalsOf(worker);
  return (
    <li
      className={cn(
        "flex min-w-0 flex-col gap-3 rounded-md border border-line-strong bg-panel p-3",
        standing === "gone" && "border-dashed",
      )}
    >
      <div className="flex items-start gap-2">
        <span className={cn("mt-0.5 shrink-0", color)}>
          <Glyph size={16} />
        </span>
        <div className="min-w-0 flex-1">
          <p className="truncate font-medium text-body" title={worker.id}>
            {worker.id}
          </p>
          <p className="text-ink-2 text-meta">
            {standing === "refusing"
              ? t(`refusing.${refusalWord(worker.refusing)}`, { why: worker.refusing ?? "" })
              : t(`standing.${standing}`)}
            {standing === "gone" ? (
              <>
                {" "}
                <Time relative at={worker.seenAt} />
              </>
            ) : null}
          </p>
        </div>
        {mayDrain ? (
          <span className="flex shrink-0 flex-wrap justify-end gap-1">
            {breaker?.state === "held" ? null : (
              <Button size="sm" onClick={() => setAsking("hold")}>
                {t("hold")}
              </Button>
            )}
            {standing === "gone" ? null : (
              <Button size="sm" onClick={() => setAsking("drain")}>
                {t(worker.draining ? "undrain" : "drain")}
              </Button>
            )}
          </span>
        ) : null}
      </div>
      {standing === "gone" || vitals.trouble === null ? null : (
        <p role="status" className="break-words border-state-failed border-l-2 pl-2 text-meta text-state-failed">
          {t("trouble", { why: vitals.trouble })}
        </p>
      )}
      {breaker || standing !== "gone" ? <BreakerNote breaker={breaker} mayAct={mayDrain} onAct={setAsking} /> : null}
      {standing === "gone" ? null : <Slots active={worker.active} slots={worker.slots} />}
      {standing === "gone" ? null : <Meters vitals={vitals} />}
      <div className="flex flex-wrap gap-1">
        {worker.groups.map((group) => (
          <Badge key={group} mono>
            {group}
          </Badge>
        ))}
      </div>
      <Machine worker={worker} vitals={vitals} />
      {asking === "drain" ? <DrainDialog worker={worker} onClose={close} /> : null}
      {asking === null || asking === "drain" ? null : (
        <BreakerDialog workerId={worker.id} act={asking} seen={breaker?.state ?? "closed"} active={worker.active} onClose={close} />
      )}
    </li>
  );
}

const MOST_DRAWN = 32;

function Slots({ active, slots }: { active: number; slots: number }) {
  const t = useTranslations("workers.tile");
  const label = t("slots", { active, slots });
  return (
    <div className="flex items-center gap-3">
      <span className="text-meta text-ink-2 tabular-nums">{label}</span>
      {slots <= MOST_DRAWN ? (
        <span role="img" aria-label={label} className="flex flex-1 flex-wrap justify-end gap-0.5">
          {Array.from({ length: slots }, (_, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a slot is its place
            <Slot key={index} used={index < active} />
          ))}
        </span>
      ) : null}
    </div>
  );
}

const Slot = ({ used }: { used: boolean }) => (
  <span className={cn("h-3 w-2 rounded-[1px] border border-edge", used && "border-state-running bg-state-running")} />
);

function Meters({ vitals }: { vitals: Vitals }) {
  const t = useTranslations("workers.tile");
  const { load, cores, memoryUsed, diskUsed, rssBytes, lagMs, connections } = vitals;
  return (
    <dl className="grid grid-cols-2 gap-x-4 gap-y-2 text-meta">
      <Meter label={t("load")} share={load !== null && cores ? load / cores : null} high={1}>
        {load === null ? null : cores === null ? load.toFixed(1) : t("loadOf", { load: load.toFixed(1), cores })}
      </Meter>
      <Meter label={t("memory")} share={memoryUsed} high={HIGH.memory}>
        {memoryUsed === null ? null : `${Math.round(memoryUsed * 100)} %`}
      </Meter>
      <Meter label={t("disk")} share={diskUsed} high={HIGH.disk}>
        {diskUsed === null ? null : `${Math.round(diskUsed * 100)} %`}
      </Meter>
      <Meter label={t("lag")} share={lagMs === null ? null : lagMs / 1000} high={HIGH_LAG_MS / 1000}>
        {lagMs === null ? null : spanText(lagMs)}
      </Meter>
      <Meter label={t("rss")} share={null} high={1}>
        {rssBytes === null ? null : bytesText(rssBytes)}
      </Meter>
      <Meter label={t("connections")} share={null} high={1}>
        {connections === null ? null : String(connections)}
      </Meter>
    </dl>
  );
}

function Meter({ label, share, high, children }: { label: string; share: number | null; high: number; children: ReactNode }) {
  const isHigh = share !== null && share > high;
  return (
    <div className="min-w-0">
      <div className="flex items-baseline justify-between gap-2">
        <dt className="truncate text-ink-3">{label}</dt>
        <dd className={cn("shrink-0 tabular-nums", isHigh ? "font-medium text-state-retrying" : "text-ink")}>{children ?? "–"}</dd>
      </div>
      {share === null ? null : (
        <span aria-hidden="true" className="mt-0.5 block h-[3px] overflow-hidden rounded-full bg-selected">
          <span
            className={cn("block h-full", isHigh ? "bg-state-retrying" : "bg-ink-3")}
            style={{ width: `${Math.max(2, Math.min(100, share * 100))}%` }}
          />
        </span>
      )}
    </div>
  );
}

function Machine({ worker, vitals }: { worker: WorkerView; vitals: Vitals }) {
  const t = useTranslations("workers.tile");
  const facts = [
    worker.hostname,
    t("pid", { pid: worker.pid }),
    vitals.runtime,
    vitals.kernel,
    ...(worker.site ? [worker.site] : []),
  ].filter(Boolean);
  return (
    <p className="mt-auto border-t pt-2 text-ink-3 text-meta" title={[vitals.cpu, vitals.kind].filter(Boolean).join(" · ") || undefined}>
      <span className="block truncate">{facts.join(" · ")}</span>
      <span className="block">
        {t("started")} <Time relative at={worker.startedAt} />
      </span>
    </p>
  );
}
