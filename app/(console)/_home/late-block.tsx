"use client";
import { useTranslations } from "next-intl";
import { VERDICT_LOOKS } from "@/app/_status/fire-verdicts";
import { ClockFace, CrossedSquare, Tick } from "@/app/_status/glyphs";
import { colorOf } from "@/app/_status/look";
import { spanText } from "@/app/_ui/instant";
import { Link } from "@/app/_ui/link";
import { Panel } from "@/app/_ui/panel";
import { Time } from "@/app/_ui/time";
import { useFireReason } from "../_schedules/use-fire-reason";
import type { LateLine } from "./views";

const SHOWN = 5;

/** What did not start as it should have, with the cause. */
export function LateBlock({ late }: { late: readonly LateLine[] }) {
  const t = useTranslations("home");
  const rest = late.length - SHOWN;
  return (
    <Panel
      title={t("late.title")}
      note={t("late.note")}
      actions={rest > 0 ? <Link href="/schedules">{t("broken.more", { n: rest })}</Link> : null}
    >
      {late.length === 0 ? (
        <p className="flex items-center gap-2 py-2 text-ink-2 text-table">
          <span className="text-state-success">
            <Tick size={12} />
          </span>
          {t("late.none")}
        </p>
      ) : (
        <ul>
          {late.slice(0, SHOWN).map((line) => (
            <Line key={`${line.schedule.id} ${line.kind}`} line={line} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Glyph({ kind }: { kind: LateLine["kind"] }) {
  if (kind === "silent" || kind === "unreadable") {
    return <span className="text-state-failed">{kind === "silent" ? <ClockFace size={14} /> : <CrossedSquare size={14} />}</span>;
  }
  const Own = VERDICT_LOOKS[kind].glyph;
  return (
    <span style={{ color: colorOf(VERDICT_LOOKS[kind]) }}>
      <Own size={14} />
    </span>
  );
}

function Line({ line }: { line: LateLine }) {
  const t = useTranslations("home.late");
  const reason = useFireReason();
  const by =
    line.kind === "silent"
      ? t("silentFor", { span: spanText(line.lateMs) })
      : line.lateMs >= 1000
        ? t("lateBy", { span: spanText(line.lateMs) })
        : "";
  const cause = line.kind === "unreadable" ? line.reason : line.reason ? reason(line.reason) : by;
  return (
    <li className="flex items-center gap-2.5 border-b py-1.5 text-table last:border-b-0">
      <Glyph kind={line.kind} />
      <span className="min-w-0 flex-1">
        <span className="flex min-w-0 items-baseline gap-1.5">
          <span className="shrink-0 font-medium">{t(`kind.${line.kind}`)}</span>
          <Link href={`/pipelines/${line.pipeline.id}`} className="min-w-0 truncate">
            {line.pipeline.title}
          </Link>
        </span>
        <span className="block truncate text-ink-3 text-meta" title={cause ?? undefined}>
          {cause}
        </span>
      </span>
      <span className="shrink-0 text-right text-ink-3 text-meta">
        {line.count > 1 ? <span className="block text-ink-2">{t("times", { n: line.count })}</span> : null}
        <Time relative at={line.at} />
      </span>
    </li>
  );
}
