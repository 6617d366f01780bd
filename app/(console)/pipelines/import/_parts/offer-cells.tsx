"use client";
import { Pencil } from "lucide-react";
import { useTranslations } from "next-intl";
import { useMemo, useState } from "react";
import { useZone } from "@/app/_ui/clock";
import { Input } from "@/app/_ui/input";
import { fullText, shortText } from "@/app/_ui/instant";
import { pipelineNameSchema } from "@/server/domain/pipeline/definition";
import { nextFires } from "@/server/domain/schedule/next-fires";
import { checkZone } from "@/server/domain/schedule/zone";
import type { PreviewRowProps } from "./row-props";
import type { Offer } from "./views";
import { ZoneInput } from "./zone-input";

const FIRES = 5;

/** When it runs, in words and in whose time, and what it will be called. */
export function OfferWhat({ offer, zone, name, dispatch, existing }: PreviewRowProps & { offer: Offer }) {
  const t = useTranslations("imports.line");
  const { entry, line, importable } = offer;
  return (
    <div className="flex min-w-0 flex-col gap-0.5 text-table">
      <span className="break-words">{entry.words}</span>
      <span className="flex min-w-0 flex-wrap items-center gap-x-2 text-ink-3 text-meta">
        {importable ? (
          <span>
            {entry.zone} <span className="whitespace-nowrap">{t(entry.zoneAssumed ? "assumed" : "fromFile")}</span>
          </span>
        ) : (
          <span className="w-52">
            <ZoneInput
              size="sm"
              aria-label={t("zoneOf", { line })}
              placeholder={t("zoneNeeded")}
              aria-invalid={zone !== undefined && zone !== "" && !checkZone(zone).ok}
              value={zone ?? ""}
              onValue={(next) => dispatch({ kind: "zone", line, zone: next })}
            />
          </span>
        )}
        {existing ? null : (
          <NameCell line={line} proposed={entry.name} name={name} onName={(next) => dispatch({ kind: "name", line, name: next })} />
        )}
      </span>
    </div>
  );
}

interface NameCellProps {
  line: number;
  proposed: string;
  name: string | undefined;
  onName: (name: string) => void;
}

function NameCell({ line, proposed, name, onName }: NameCellProps) {
  const t = useTranslations("imports.line");
  const [editing, setEditing] = useState(false);
  const shown = name === undefined || name.trim() === "" ? proposed : name;
  if (!editing) {
    return (
      <span className="flex min-w-0 items-center gap-0.5">
        <code className="truncate font-mono text-ink-2 text-meta">{shown}</code>
        {/* Plain, for a file has hundreds of them. */}
        <button
          type="button"
          aria-label={t("rename", { line })}
          title={t("rename", { line })}
          onClick={() => setEditing(true)}
          className="inline-flex size-6 items-center justify-center rounded-md text-ink-3 hover:bg-hover hover:text-ink pointer-coarse:size-8"
        >
          <Pencil size={11} aria-hidden="true" />
        </button>
      </span>
    );
  }
  return (
    <Input
      autoFocus
      mono
      size="sm"
      maxLength={64}
      aria-label={t("nameOf", { line })}
      aria-invalid={!pipelineNameSchema.safeParse(shown).success}
      defaultValue={shown}
      className="max-w-64"
      onChange={(event) => onName(event.target.value)}
      onBlur={() => setEditing(false)}
      onKeyDown={(event) => {
        if (event.key === "Enter" || event.key === "Escape") setEditing(false);
      }}
    />
  );
}

/** The next five fires in the console's zone: plain text, since a file has hundreds of lines. */
export function OfferFires({ offer, zone, nowMs }: { offer: Offer; zone: string | undefined; nowMs: number }) {
  const t = useTranslations("imports.line");
  const { zone: shownZone } = useZone();
  const { entry } = offer;
  const fires = useMemo(() => {
    if (entry.zone !== null) return entry.nextFires;
    const checked = checkZone(zone ?? "");
    if (!checked.ok) return [];
    const timing = { cron: entry.expression, dialect: "vixie", timezone: checked.zone, gap: "shift", fold: "first" } as const;
    return nextFires(timing, new Date(nowMs), FIRES);
  }, [entry, zone, nowMs]);
  if (fires.length === 0) return <span className="text-ink-3 text-meta">{t("noFires")}</span>;
  return (
    <ol aria-label={t("fires")} className="flex flex-wrap gap-x-2.5 text-ink-2 text-meta leading-5">
      {fires.map((fire) => {
        const ms = fire.getTime();
        return (
          <li key={ms}>
            <time
              dateTime={fire.toISOString()}
              title={`${fullText(ms, shownZone, "minute")} ${shownZone}`}
              className="whitespace-nowrap tabular-nums"
            >
              {shortText(ms, nowMs, shownZone, "minute")}
            </time>
          </li>
        );
      })}
    </ol>
  );
}
