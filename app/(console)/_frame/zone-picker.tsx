"use client";
import { useTranslations } from "next-intl";
import { useMemo, useState } from "react";
import { buttonLook } from "@/app/_ui/button";
import { cn } from "@/app/_ui/class-names";
import { useNow, useZone } from "@/app/_ui/clock";
import { fullText, offsetText } from "@/app/_ui/instant";
import { type Option, OptionList } from "@/app/_ui/option-list";
import { Popover } from "@/app/_ui/popover";

const BROWSER = "browser";

/** The clock of the console and the choice of its zone in one. */
export function ZonePicker() {
  const t = useTranslations("frame.zone");
  const { zone, setZone } = useZone();
  const [open, setOpen] = useState(false);
  const now = useNow();
  const clock = fullText(now, zone, "second").slice(11);
  return (
    <Popover
      label={t("label")}
      align="end"
      open={open}
      onOpen={setOpen}
      className="w-80 p-0"
      trigger={
        <button
          type="button"
          aria-label={`${t("label")}: ${zone}`}
          title={t("explain", { zone })}
          className={cn(buttonLook({ look: "quiet" }), "gap-2 px-2 font-normal")}
        >
          <span className="font-mono text-ink text-table tabular-nums">{clock}</span>
          <span className="max-w-36 truncate text-ink-3 text-meta max-lg:hidden">{zone}</span>
          <span className="text-ink-3 text-meta lg:hidden">{offsetText(now, zone)}</span>
        </button>
      }
    >
      <ZoneList
        onChoose={(next) => {
          setZone(next);
          setOpen(false);
        }}
      />
    </Popover>
  );
}

function ZoneList({ onChoose }: { onChoose: (zone: string | null) => void }) {
  const t = useTranslations("frame.zone");
  const { zone, chosen, browserZone } = useZone();
  const [query, setQuery] = useState("");
  const minute = useNow(60_000);
  const options = useMemo<Option[]>(() => {
    const names = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((name) => name !== "UTC")];
    const own: Option = {
      key: BROWSER,
      text: `${t("browser")} ${browserZone}`,
      label: t("browser"),
      hint: browserZone,
      aside: offsetText(minute, browserZone),
      chosen: !chosen,
    };
    return [
      own,
      ...names.map((name) => ({
        key: name,
        text: name.replaceAll("_", " "),
        label: name.replaceAll("_", " "),
        aside: offsetText(minute, name),
        chosen: chosen && name === zone,
      })),
    ];
  }, [t, browserZone, minute, chosen, zone]);
  return (
    <>
      <OptionList
        label={t("label")}
        placeholder={t("search")}
        options={options}
        query={query}
        onQuery={setQuery}
        onChoose={(key) => onChoose(key === BROWSER ? null : key)}
        listClassName="max-h-72"
      />
      <p className="border-t px-3 py-2 text-ink-3 text-meta">{t("every")}</p>
    </>
  );
}
