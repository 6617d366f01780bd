"use client";
import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { CrossedSquare, Tick } from "@/app/_status/glyphs";
import { cn } from "@/app/_ui/class-names";
import { spanText } from "@/app/_ui/instant";
import { Link } from "@/app/_ui/link";
import { Panel } from "@/app/_ui/panel";
import { type GroupLine, judgePlatform } from "./model/judge-platform";
import type { Platform } from "./views";

function Line({ well, label, children, hint }: { well: boolean; label: ReactNode; children: ReactNode; hint?: ReactNode }) {
  return (
    <div className="flex min-h-8 items-baseline gap-2 border-b py-1 text-table last:border-b-0">
      <span className={cn("shrink-0 self-center", well ? "text-state-success" : "text-state-failed")}>
        {well ? <Tick size={12} /> : <CrossedSquare size={12} />}
      </span>
      <dt className="min-w-0 shrink-0 text-ink-2">{label}</dt>
      <dd className={cn("ml-auto min-w-0 truncate text-right tabular-nums", well ? "text-ink" : "font-medium text-state-failed")}>
        {children}
        {hint ? <span className="block text-ink-3 text-meta">{hint}</span> : null}
      </dd>
    </div>
  );
}

/** Whether Apollo-11 itself does its work. What is red here outranks all else. */
export function PlatformBlock({ platform, deadLetters, valves }: { platform: Platform; deadLetters: number; valves: number }) {
  const t = useTranslations("home.platform");
  const verdict = judgePlatform(platform);
  const { leader } = platform;
  return (
    <Panel title={t("title")} note={verdict.troubles === 0 ? t("well") : <Troubles n={verdict.troubles} />}>
      <dl>
        {verdict.read ? null : (
          <Line well={false} label={t("unread")}>
            {platform.unread.map((what) => t(`reading.${what}`)).join(", ")}
          </Line>
        )}
        {verdict.database ? null : (
          <Line well={false} label={t("database")}>
            {t("databaseDown")}
          </Line>
        )}
        <Line well={verdict.leader} label={t("scheduler")}>
          {leader ? (
            <span title={t("epoch")}>
              {t("leader", { holder: leader.holder })} <span className="font-mono text-ink-3 text-meta">{`#${leader.epoch}`}</span>
            </span>
          ) : (
            t(verdict.leader ? "lagUnknown" : "noLeader")
          )}
        </Line>
        {leader?.failing.map(({ name, why }) => (
          <Line key={name} well={false} label={t("duty", { name })} hint={why}>
            {t("failing")}
          </Line>
        ))}
        {leader ? (
          <Line well={verdict.wheel} label={t("lag")}>
            {leader.wheelLagMs === null ? t("lagUnknown") : spanText(leader.wheelLagMs)}
          </Line>
        ) : null}
        <Line well={verdict.overdue} label={t("overdue")}>
          {platform.oldestOverdueMs === 0 ? t("nothingOverdue") : spanText(platform.oldestOverdueMs)}
        </Line>
        <Line well={verdict.ready} label={t("ready")}>
          {platform.oldestReadyMs === 0 ? t("nothingReady") : spanText(platform.oldestReadyMs)}
        </Line>
        {deadLetters === 0 ? null : (
          <Line well={false} label={<Link href="/dead-letters">{t("deadLetters")}</Link>}>
            {t("deadLettersWait", { n: deadLetters })}
          </Line>
        )}
        {valves === 0 ? null : (
          <Line well={false} label={<Link href="/valves">{t("valves")}</Link>}>
            {t("valvesOpen", { n: valves })}
          </Line>
        )}
        {verdict.groups.length === 0 ? (
          <Line well={false} label={<Link href="/workers">{t("noWorkers")}</Link>}>
            {"0"}
          </Line>
        ) : (
          verdict.groups.map((group) => <Group key={group.name} group={group} />)
        )}
      </dl>
    </Panel>
  );
}

const Troubles = ({ n }: { n: number }) => {
  const t = useTranslations("home.platform");
  return <span className="font-medium text-state-failed">{t("troubles", { n })}</span>;
};

function Group({ group }: { group: GroupLine }) {
  const t = useTranslations("home.platform");
  const hints = [
    ...(group.refusing > 0 ? [t("refusing", { n: group.refusing, why: group.reasons.map((why) => t(`why.${why}`)).join(", ") })] : []),
    ...(group.trouble === null ? [] : [group.trouble]),
    ...(group.queued > 0 ? [t("queue", { n: group.queued, span: spanText(group.oldestMs) })] : []),
  ];
  return (
    <Line well={group.well} label={<Link href="/workers">{t("group", { group: group.name })}</Link>} hint={hints.join(" · ") || undefined}>
      {t("live", { live: group.live, all: group.known })}
    </Line>
  );
}
