"use client";
import { useTranslations } from "next-intl";
import { Fragment } from "react";
import { VERDICT_LOOKS } from "@/app/_status/fire-verdicts";
import { CrossedSquare, Tick } from "@/app/_status/glyphs";
import { colorOf } from "@/app/_status/look";
import { useZone } from "@/app/_ui/clock";
import { FIRE_VERDICTS } from "@/server/domain/schedule/verdict";
import { dayOf } from "../_query/day";
import type { FireSums } from "./views";

/** Expected = sum of verdicts, and whether that holds (SCH-5). */
export function SumLine({ sums }: { sums: FireSums | null }) {
  const t = useTranslations("schedules.ledger");
  const { zone } = useZone();
  if (sums === null) return null;
  const shown = FIRE_VERDICTS.filter((verdict) => verdict === "ran" || sums.verdicts[verdict] > 0);
  const parts = () => (
    <>
      {shown.map((verdict, index) => {
        const look = VERDICT_LOOKS[verdict];
        const Glyph = look.glyph;
        return (
          <Fragment key={verdict}>
            {index > 0 ? <span className="text-ink-3">{" + "}</span> : null}
            <span className="whitespace-nowrap">
              <span style={{ color: colorOf(look) }} className="mr-1 inline-flex translate-y-0.5">
                <Glyph size={12} />
              </span>
              {t(`part.${verdict}`, { n: sums.verdicts[verdict] })}
            </span>
          </Fragment>
        );
      })}
    </>
  );
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-body tabular-nums">
      <span>
        {sums.expected === null
          ? t.rich("sumRecorded", { recorded: sums.recorded, parts })
          : t.rich("sum", { expected: sums.expected, parts })}
      </span>
      <Balance sums={sums} />
      {sums.duplicatesRefused > 0 ? <span className="text-ink-3 text-meta">{t("duplicates", { n: sums.duplicatesRefused })}</span> : null}
      <NotItemised n={sums.notItemised} />
      {sums.byDefault ? <span className="text-ink-3 text-meta">{t("since", { day: dayOf(sums.from.getTime(), zone) })}</span> : null}
    </p>
  );
}

/** Fires before an edit that are still being written. */
function NotItemised({ n }: { n: number | null }) {
  const t = useTranslations("schedules.ledger");
  if (n === 0) return null;
  return <span className="text-ink-3 text-meta">{n === null ? t("manyNotItemised") : t("notItemised", { n })}</span>;
}

function Balance({ sums }: { sums: FireSums }) {
  const t = useTranslations("schedules.ledger");
  if (sums.balanced === null) return <span className="text-ink-3 text-meta">{t("notCounted")}</span>;
  if (sums.balanced) {
    return (
      <span className="inline-flex items-center gap-1 text-ink-3 text-meta">
        <span className="text-state-success">
          <Tick size={12} />
        </span>
        {t("balanced")}
      </span>
    );
  }
  return (
    <span className="inline-flex items-center gap-1 text-meta text-state-failed">
      <CrossedSquare size={12} />
      {t("unbalanced", { expected: sums.expected ?? 0, recorded: sums.recorded })}
    </span>
  );
}
