"use client";
import { useTranslations } from "next-intl";
import { StateDot, useStateWord } from "@/app/_status/state-badge";
import { cn } from "@/app/_ui/class-names";
import type { AttemptView } from "../../views";
import { attemptKey, attemptName, inOrder, severalGenerations } from "../model/attempts";

interface AttemptChipsProps {
  attempts: readonly AttemptView[];
  chosen: AttemptView | null;
  onChoose: (key: string) => void;
}

/** Every attempt of every generation; a rule between two means that a person began anew. */
export function AttemptChips({ attempts, chosen, onChoose }: AttemptChipsProps) {
  const t = useTranslations("run.node");
  const word = useStateWord();
  if (attempts.length === 0) return <p className="text-ink-3 text-meta">{t("noAttempts")}</p>;
  const ordered = inOrder(attempts);
  const several = severalGenerations(attempts);
  return (
    <fieldset aria-label={t("attempts")} className="m-0 flex min-w-0 flex-wrap items-center gap-1 border-0 p-0">
      <span aria-hidden="true" className="mr-1 text-ink-3 text-meta">
        {t("attempts")}
      </span>
      {ordered.map((attempt, index) => {
        const name = attemptName(attempt, several);
        const begins = index > 0 && ordered[index - 1]?.generation !== attempt.generation;
        return (
          <span key={attemptKey(attempt)} className="flex items-center gap-1">
            {begins ? <span title={t("generation", { n: attempt.generation })} className="mx-0.5 h-4 w-px bg-line-strong" /> : null}
            <button
              type="button"
              aria-pressed={chosen === attempt}
              aria-label={t("attemptState", { name, state: word({ of: "node", state: attempt.state }) })}
              onClick={() => onChoose(attemptKey(attempt))}
              className={cn(
                "inline-flex h-6 items-center gap-1 rounded-md border border-line px-1.5 text-meta tabular-nums hover:border-edge pointer-coarse:h-9 pointer-coarse:px-2.5",
                chosen === attempt && "border-ink bg-selected font-medium hover:border-ink",
              )}
            >
              <StateDot of="node" state={attempt.state} size={12} />
              {name}
            </button>
          </span>
        );
      })}
    </fieldset>
  );
}
