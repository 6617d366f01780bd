"use client";
import { useLocale, useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { spanText } from "@/app/_ui/instant";
import { formatDuration } from "@/server/domain/duration";
import { MIN_SAMPLES } from "@/server/domain/retry/advise";
import type { Outputs } from "../_query/outputs";

export type NodeAdvice = Outputs["advice"]["code"][number];
type Advice = NodeAdvice["advice"];
export type Suggestion = Exclude<Advice, { kind: "too_few" }>;

interface AdviceLinesProps {
  /** What the advice is of: a node, or a code. */
  name: ReactNode;
  advice: Advice;
  /** What can be done with a suggestion. */
  act?: (suggestion: Suggestion) => ReactNode;
}

/** What history says of retries: how often each delay helped, of how many, and what follows from it (RTY-4). */
export function AdviceLines({ name, advice, act }: AdviceLinesProps) {
  const t = useTranslations("advice");
  return (
    <div className="flex flex-col gap-1.5 border-b py-2 text-table last:border-b-0">
      <div className="min-w-0 break-words">{name}</div>
      {advice.kind === "too_few" ? (
        <p className="text-ink-3">{t("tooFew", { least: MIN_SAMPLES, samples: advice.samples, missing: advice.missing })}</p>
      ) : (
        <>
          <Spans spans={advice.spans} />
          <p>
            {advice.kind === "stop" ? t("stop") : t("delays", { list: delaysText(advice.delaysMs) })} <Saved saved={advice.saved} />
          </p>
          {act?.(advice)}
        </>
      )}
    </div>
  );
}

function Spans({ spans }: { spans: Suggestion["spans"] }) {
  const t = useTranslations("advice");
  const format = new Intl.NumberFormat(useLocale(), { style: "percent" });
  return (
    <ul className="flex flex-col text-ink-2 text-meta">
      {spans.map(({ retryNo, span, tried, helped, rate, interval, medianMs }) => (
        <li key={`${retryNo}/${span}`} className="flex flex-wrap items-baseline gap-x-2">
          <span>{t("span", { no: retryNo, delay: spanText(medianMs) })}</span>
          <span className="ml-auto flex flex-wrap justify-end gap-x-2 tabular-nums">
            <span>{t("helped", { helped, tried, rate: format.format(rate) })}</span>
            <span className="w-24 text-right text-ink-3">{`${format.format(interval.low)} – ${format.format(interval.high)}`}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}

/** What the suggestion would have spared; nothing where that is nothing. */
function Saved({ saved: { attempts, waitMs } }: Pick<Suggestion, "saved">) {
  const t = useTranslations("advice.saved");
  if (attempts === 0 && waitMs === 0) return null;
  const wait = spanText(waitMs);
  const text = waitMs === 0 ? t("attempts", { n: attempts }) : attempts === 0 ? t("wait", { wait }) : t("both", { n: attempts, wait });
  return <span className="text-ink-2">{text}</span>;
}

/** As a rule and a node write them: `3s, 2m`. */
export const delaysText = (delaysMs: readonly number[]): string => delaysMs.map(formatDuration).join(", ");
