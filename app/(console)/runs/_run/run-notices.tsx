"use client";
import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { StateDot } from "@/app/_status/state-badge";
import { cn } from "@/app/_ui/class-names";
import { Time } from "@/app/_ui/time";
import { isUnhealthyNode } from "@/server/domain/run/states";
import { DeferredBanner } from "../../_deferred/deferred-banner";
import { firstFailed } from "./model/first-look";
import { nodeTitle } from "./node-words";
import { useRun } from "./run-context";

/** Why the run stands where it stands, and what waits for a person: a line each. */
export function RunNotices({ onNode }: { onNode: (key: string) => void }) {
  const t = useTranslations("run");
  const { run } = useRun();
  const failed = firstFailed(run.nodes);
  const undecided = run.nodes.filter((node) => isUnhealthyNode(node.state) || node.state === "CANCELED").length;
  const deferrals = [
    ...new Set(run.nodes.flatMap(({ waitsFor }) => (waitsFor?.kind === "valve" && waitsFor.deferring ? [waitsFor.no] : []))),
  ];
  return (
    <>
      <DeferredBanner projectId={run.projectId} only={deferrals} />
      {run.state === "PENDING" ? <Line color="text-state-pending">{t("waits")}</Line> : null}
      {run.state === "PAUSED" ? (
        <Line color="text-state-paused">{run.pausedByPerson ? t("pausedByPerson") : t("pausedByFailure", { n: undecided })}</Line>
      ) : null}
      {run.cancelRequestedAt && run.times.endedAt === null ? (
        <Line color="text-state-canceled">{t.rich("cancelAsked", { time: () => <Time at={run.cancelRequestedAt} /> })}</Line>
      ) : null}
      {failed ? (
        <Line color="text-state-failed" className="lg:hidden">
          <StateDot of="node" state={failed.state} className="mr-1.5 translate-y-0.5" />
          {t("failedFirst", { node: nodeTitle(failed) })}
          {failed.error ? <code className="ml-2 break-all font-mono text-meta max-sm:ml-0 max-sm:block">{failed.error.code}</code> : null}
          <button
            type="button"
            onClick={() => onNode(failed.key)}
            className="ml-2 underline underline-offset-3 max-sm:ml-0 pointer-coarse:py-2"
          >
            {t("show")}
          </button>
        </Line>
      ) : null}
    </>
  );
}

const Line = ({ color, className, children }: { color: string; className?: string; children: ReactNode }) => (
  <p className={cn("tint border-t px-4 py-1.5 text-table md:px-6", color, className)}>
    <span className="text-ink">{children}</span>
  </p>
);
