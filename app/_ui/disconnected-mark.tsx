"use client";
import { Unplug } from "lucide-react";
import { useTranslations } from "next-intl";
import { useNow, useZone } from "./clock";
import { offsetText, shortText } from "./instant";

/** On whatever is kept fresh by push: says since when it is not. */
export function DisconnectedMark({ sinceMs, short }: { sinceMs: number; short?: boolean }) {
  const t = useTranslations("ui.disconnected");
  const { zone } = useZone();
  const now = useNow(60_000);
  const time = `${shortText(sinceMs, now, zone, "second")} ${offsetText(sinceMs, zone)}`;
  return (
    <span role="status" title={t("since", { time })} className="inline-flex items-center gap-1.5 text-meta text-state-retrying">
      <Unplug size={13} aria-hidden="true" className="shrink-0" />
      {short ? t("short") : t("since", { time })}
    </span>
  );
}
