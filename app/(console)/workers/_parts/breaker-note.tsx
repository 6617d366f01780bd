"use client";
import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { CrossedSquare, RaisedHand, ReturningArc, Tick } from "@/app/_status/glyphs";
import { Button } from "@/app/_ui/button";
import { cn } from "@/app/_ui/class-names";
import { Link } from "@/app/_ui/link";
import { Time } from "@/app/_ui/time";
import { type BreakerState, PROBES_TO_CLOSE } from "@/server/domain/breaker/breaker";
import type { BreakerAct } from "./breaker-dialog";
import type { BreakerView } from "./views";

const LOOKS: Record<BreakerState, { glyph: typeof Tick; color: string; edge: string }> = {
  closed: { glyph: Tick, color: "text-state-success", edge: "" },
  open: { glyph: CrossedSquare, color: "text-state-failed", edge: "border-state-failed" },
  probing: { glyph: ReturningArc, color: "text-state-retrying", edge: "border-state-retrying" },
  held: { glyph: RaisedHand, color: "text-state-review", edge: "border-state-review" },
};

interface BreakerNoteProps {
  /** Undefined while it is closed. */
  breaker: BreakerView | undefined;
  mayAct: boolean;
  onAct: (act: BreakerAct) => void;
}

/** How a worker's breaker stands: why it is out, until when, and what comes next. */
export function BreakerNote({ breaker, mayAct, onAct }: BreakerNoteProps) {
  const t = useTranslations("workers.breaker");
  const state = breaker?.state ?? "closed";
  const { glyph: Glyph, color, edge } = LOOKS[state];
  const head = (
    <p className="flex items-center gap-1.5 text-meta">
      <span className={cn("shrink-0", color)}>
        <Glyph size={14} />
      </span>
      <span className={cn(breaker ? "font-medium" : "text-ink-3")}>{t(`state.${state}`)}</span>
      {breaker ? (
        <span className="text-ink-3">
          <Time relative at={breaker.since} />
        </span>
      ) : null}
    </p>
  );
  if (!breaker) return head;
  return (
    <section aria-label={t("title")} className={cn("flex flex-col gap-1.5 border-l-2 pl-2", edge)}>
      {head}
      <Why why={breaker.why} />
      <Next breaker={breaker} />
      {mayAct ? (
        <div className="flex flex-wrap gap-2 pt-0.5">
          {breaker.state === "held" ? (
            <Act label={t("release")} onPress={() => onAct("release")} />
          ) : (
            <Act label={t("close")} onPress={() => onAct("close")} />
          )}
        </div>
      ) : null}
    </section>
  );
}

const Act = ({ label, onPress }: { label: string; onPress: () => void }) => (
  <Button size="sm" onClick={onPress}>
    {label}
  </Button>
);

function Why({ why }: { why: BreakerView["why"] }) {
  const t = useTranslations("workers.breaker");
  if (!why) return null;
  if (why.cause === "person") return <Line>{t("why.person", { who: why.by ?? "–", reason: why.reason ?? "–" })}</Line>;
  return (
    <>
      <Line>{why.cause === "rule" ? t("why.rule", { rule: why.rule ?? "–" }) : t(`why.${why.cause}`, { n: why.failures.length })}</Line>
      <details className="text-meta">
        <summary className="cursor-pointer text-ink-2 hover:text-ink">{t("failures", { n: why.failures.length })}</summary>
        <ol className="mt-1 flex max-h-60 flex-col gap-1 overflow-y-auto">
          {why.failures.map(({ at, code, runId, nodeKey }, index) => (
            <li key={`${String(at)} ${runId ?? index}`} className="flex flex-wrap items-baseline gap-x-2">
              <Time bare at={at} className="text-ink-3" />
              {code === null ? <span className="text-ink-3">{t("elsewhere")}</span> : <span className="break-all font-mono">{code}</span>}
              {runId === null ? null : <Link href={`/runs/${runId}`}>{nodeKey}</Link>}
            </li>
          ))}
        </ol>
      </details>
    </>
  );
}

function Next({ breaker: { state, until, nextProbeAt, isProbing, successes, lastProbe } }: { breaker: BreakerView }) {
  const t = useTranslations("workers.breaker");
  if (state === "held") return <Line>{t("heldUntil")}</Line>;
  const time = () => <Time relative at={isProbing ? null : nextProbeAt} />;
  return (
    <>
      <Line>
        {until ? t.rich("until", { time: () => <Time at={until} /> }) : t("timeOver")}{" "}
        {isProbing ? t("probeNow") : t.rich("nextProbe", { time })}
      </Line>
      <Line>
        {t("probes", { n: successes, all: PROBES_TO_CLOSE })}
        {lastProbe ? (
          <>
            {" "}
            {t.rich(lastProbe.ok ? "lastPassed" : "lastFailed", { note: lastProbe.note, time: () => <Time relative at={lastProbe.at} /> })}
          </>
        ) : null}
      </Line>
    </>
  );
}

const Line = ({ children }: { children: ReactNode }) => <p className="break-words text-ink-2 text-meta">{children}</p>;
