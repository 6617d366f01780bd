"use client";
import { useTranslations } from "next-intl";
import { cn } from "@/app/_ui/class-names";
import { ErrorState } from "@/app/_ui/error-state";
import { useFailureText } from "../../_query/use-failure-text";
import type { Simulation } from "./views";

interface OutcomeProps {
  simulation: Simulation | undefined;
  /** Of an earlier draft, while the new one is asked for. */
  isOld: boolean;
  error: unknown;
  isDraft: boolean;
}

/** What a draft would have done with what failed in the last 30 days; of the live rules, how much that was. */
export function Outcome({ simulation, isOld, error, isDraft }: OutcomeProps) {
  const t = useTranslations("routing.outcome");
  const text = useFailureText();
  if (error && !simulation) return <ErrorState title={t("failed")} detail={text(error)} />;
  if (!simulation) return <p className="min-h-5 text-ink-3 text-table">{t("asking")}</p>;
  return (
    <div aria-live="polite" className={cn("text-table", isOld && "opacity-60")}>
      {isDraft ? <Rerouted simulation={simulation} /> : null}
      <p className="text-ink-3">
        {t("looked", { count: simulation.total })} {simulation.isPartial ? t("partial") : null}
      </p>
    </div>
  );
}

export function Rerouted({ simulation }: { simulation: Simulation }) {
  const t = useTranslations("routing");
  if (simulation.rerouted.length === 0) return <p className="font-medium">{t("outcome.same")}</p>;
  return (
    <ul className="flex flex-col gap-1">
      {simulation.rerouted.map(({ from, to, count, codes }) => (
        <li key={`${from}>${to}`}>
          <span className="font-medium">{t("outcome.way", { count, from: t(`to.${from}`), to: t(`to.${to}`) })}</span>{" "}
          <span className="break-words font-mono text-ink-3 text-meta">
            {codes.map((each) => `${each.code} ×${each.count}`).join("  ")}
          </span>
        </li>
      ))}
    </ul>
  );
}
