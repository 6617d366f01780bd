"use client";
import { CircleAlert, CircleCheck, Info, type LucideIcon, TriangleAlert } from "lucide-react";
import { useTranslations } from "next-intl";
import { TONES } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { cn } from "@/app/_ui/class-names";
import { Time } from "@/app/_ui/time";
import { CHECKS } from "@/server/domain/playbooks/checks";
import { useFailureText } from "../../_query/use-failure-text";
import { CheckTable } from "./check-table";
import type { Look } from "./use-checks";
import type { CheckResult } from "./views";

interface CheckRowProps {
  name: CheckResult["check"];
  /** What became of the last press; undefined before the first. */
  look: Look | undefined;
  onLook: () => void;
}

/** One check: what it looks at, its button, and below what it found and what that means. */
export function CheckRow({ name, look, onLook }: CheckRowProps) {
  const t = useTranslations("playbooks");
  const text = useFailureText();
  return (
    <li className="flex flex-col gap-2 border-b py-3 last:border-b-0">
      <div className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <h3 className="font-medium text-table">{t(`check.${name}.name`)}</h3>
          <p className="text-ink-3 text-meta">{t(`check.${name}.about`)}</p>
        </div>
        <Button size="sm" busy={look?.kind === "busy"} aria-label={`${t("checks.run")}: ${t(`check.${name}.name`)}`} onClick={onLook}>
          {t(look?.kind === "found" ? "checks.again" : "checks.run")}
        </Button>
      </div>
      <div aria-live="polite">
        {look?.kind === "failed" ? (
          <p className="break-words border-state-failed border-l-2 pl-2 text-state-failed text-table">{text(look.error)}</p>
        ) : look?.kind === "found" ? (
          <Found result={look.result} />
        ) : null}
      </div>
    </li>
  );
}

const ICONS: Readonly<Record<CheckResult["verdict"]["tone"], LucideIcon>> = {
  good: CircleCheck,
  warn: TriangleAlert,
  bad: CircleAlert,
  info: Info,
};

function Found({ result }: { result: CheckResult }) {
  const t = useTranslations("playbooks");
  const { verdict, check, subject } = result;
  const Icon = ICONS[verdict.tone];
  // The words are those of the check; a test holds that none is missing.
  const sentence = t(`verdict.${check}.${verdict.word}` as "verdict.node_output.silent", verdict.values as { minutes: number });
  return (
    <div className="flex flex-col gap-1.5">
      <p className="flex items-start gap-2 font-medium text-table">
        <Icon size={15} aria-hidden="true" className={cn("mt-0.5 shrink-0", TONES[verdict.tone])} />
        <span className="min-w-0 break-words">{sentence}</span>
      </p>
      <CheckTable result={result} />
      <p className="flex flex-wrap gap-x-3 break-all text-ink-3 text-meta">
        <Time at={result.at} />
        <span>{aboutOf(CHECKS[check], subject)}</span>
      </p>
    </div>
  );
}

function aboutOf(kind: "node" | "code" | "worker", { runId, nodeKey, code, workerId }: CheckResult["subject"]): string {
  if (kind === "node") return `${nodeKey ?? "–"} · ${runId ?? "–"}`;
  return (kind === "code" ? code : workerId) ?? "–";
}
