"use client";
import { useQuery } from "@tanstack/react-query";
import { CircleAlert, CircleCheck, Info, type LucideIcon, TriangleAlert } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { TONES } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { cn } from "@/app/_ui/class-names";
import { Time } from "@/app/_ui/time";
import { CHECKS } from "@/server/domain/playbooks/checks";
import { useFailureText } from "../../_query/use-failure-text";
import { CheckTable } from "./check-table";
import type { CheckResult } from "./views";

interface CheckRowProps {
  projectId: string;
  name: CheckResult["check"];
  subject: { code?: string; runId?: string; nodeKey?: string; workerId?: string };
  /** How often all checks were asked for; each press asks this one too. */
  allAt: number;
}

/** One check: what it looks at, its button, and below what it found and what that means. */
export function CheckRow({ projectId, name, subject, allAt }: CheckRowProps) {
  const t = useTranslations("playbooks");
  const trpc = useTRPC();
  const text = useFailureText();
  const [mountedAt] = useState(allAt);
  const [isAsked, setIsAsked] = useState(false);
  const found = useQuery({
    ...trpc.playbooks.check.queryOptions({ projectId, check: name, subject }),
    enabled: isAsked || allAt > mountedAt,
    // It is made on a press alone: what stands there is as of then, which it says.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    retry: false,
  });
  return (
    <li className="flex flex-col gap-2 border-b py-3 last:border-b-0">
      <div className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <h3 className="font-medium text-table">{t(`check.${name}.name`)}</h3>
          <p className="text-ink-3 text-meta">{t(`check.${name}.about`)}</p>
        </div>
        <Button
          size="sm"
          busy={found.isFetching}
          aria-label={`${t("checks.run")}: ${t(`check.${name}.name`)}`}
          onClick={() => {
            if (found.data || found.error) void found.refetch();
            setIsAsked(true);
          }}
        >
          {t(found.data ? "checks.again" : "checks.run")}
        </Button>
      </div>
      <div aria-live="polite">
        {found.error ? (
          <p className="break-words border-state-failed border-l-2 pl-2 text-state-failed text-table">{text(found.error)}</p>
        ) : found.data ? (
          <Found result={found.data} />
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
