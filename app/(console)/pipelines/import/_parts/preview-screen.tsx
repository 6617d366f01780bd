"use client";
import { ArrowLeft, Info } from "lucide-react";
import { useTranslations } from "next-intl";
import { useReducer, useState } from "react";
import { Button } from "@/app/_ui/button";
import { Checkbox } from "@/app/_ui/checkbox";
import { Segmented } from "@/app/_ui/segmented";
import { ZoneNote } from "@/app/_ui/time";
import { ConfirmBar } from "./confirm-bar";
import { choose, firstChoices, isShown, offersOf, SIGHTS, type Sight, wantsLook } from "./model/choices";
import { PreviewRow } from "./preview-row";
import type { Source } from "./source-form";
import { useNoteText } from "./use-note-text";
import { type ImportResult, isOffer, type Preview } from "./views";

interface PreviewScreenProps {
  projectId: string;
  source: Source;
  preview: Preview;
  owner: string;
  /** When the preview was made; its fires are counted from there. */
  nowMs: number;
  onBack: () => void;
  onDone: (result: ImportResult) => void;
}

export function PreviewScreen(props: PreviewScreenProps) {
  const { preview, nowMs, onBack } = props;
  const t = useTranslations("imports.preview");
  const [choices, dispatch] = useReducer(choose, preview, firstChoices);
  const [sight, setSight] = useState<Sight>("all");
  const existing = new Map(preview.existing.map((each) => [each.line, each]));
  const offers = offersOf(preview);
  const shown = preview.lines.filter((line) => isShown(line, sight));
  const shownOffers = shown.filter(isOffer).filter(({ line }) => !existing.has(line));
  const all = shownOffers.length > 0 && shownOffers.every(({ line }) => choices.ticked.has(line));
  const counts: Record<Sight, number> = {
    all: preview.lines.length,
    entries: preview.counts.offered,
    look: preview.lines.filter(wantsLook).length,
  };

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex flex-col gap-3 px-4 pb-3 md:px-6">
        <Summary preview={preview} />
        <FileNotes preview={preview} />
        <div className="flex flex-wrap items-center gap-3">
          <Button look="quiet" onClick={onBack} className="-ml-2.5">
            <ArrowLeft size={13} aria-hidden="true" />
            {t("back")}
          </Button>
          <Segmented<Sight>
            label={t("sight")}
            value={sight}
            onValue={setSight}
            options={SIGHTS.map((value) => ({
              value,
              label: (
                <>
                  {t(`sights.${value}`)} <span className="text-ink-3 text-meta">{counts[value]}</span>
                </>
              ),
            }))}
          />
        </div>
      </div>
      <div className="sticky top-0 z-10 border-line-strong border-b bg-ground">
        <div className="grid h-8 grid-cols-[1.75rem_2.25rem_minmax(0,1fr)] items-center gap-x-2 px-3 font-medium text-ink-3 text-meta md:mx-3 lg:grid-cols-[1.75rem_2.5rem_minmax(0,1.5fr)_minmax(0,1fr)_15.5rem] lg:gap-x-3">
          <Checkbox
            name={t("tickAll")}
            checked={all ? true : shownOffers.some(({ line }) => choices.ticked.has(line)) ? "indeterminate" : false}
            onChecked={(on) => dispatch({ kind: "tickAll", on, lines: shownOffers.map(({ line }) => line) })}
          />
          <span className="text-right">{t("columns.line")}</span>
          <span>{t("columns.raw")}</span>
          <span className="max-lg:hidden">{t("columns.words")}</span>
          <span className="max-lg:hidden">
            {t("columns.fires")} <ZoneNote />
          </span>
        </div>
      </div>
      <ol aria-label={t("label")} className="flex-1 pb-4">
        {shown.map((line) => (
          <PreviewRow
            key={line.line}
            line={line}
            ticked={choices.ticked.has(line.line)}
            zone={choices.zones[line.line]}
            name={choices.names[line.line]}
            existing={existing.get(line.line)}
            nowMs={nowMs}
            dispatch={dispatch}
          />
        ))}
        {shown.length === 0 ? <li className="px-4 py-6 text-ink-2 text-table md:px-6">{t("nothingShown")}</li> : null}
      </ol>
      <ConfirmBar {...props} choices={choices} offered={offers.length} />
    </div>
  );
}

function Summary({ preview }: { preview: Preview }) {
  const t = useTranslations("imports.preview");
  const { counts, existing, form, formDetected, lines } = preview;
  return (
    <p className="text-body">
      {t("summary", { lines: lines.length, offered: counts.offered })}{" "}
      <span className="text-ink-2">{t(formDetected ? `read.${form}` : `asked.${form}`)}</span>
      {counts.refused > 0 ? <span className="font-medium text-state-failed"> {t("refused", { n: counts.refused })}</span> : null}
      {existing.length > 0 ? <span className="text-ink-2"> {t("existing", { n: existing.length })}</span> : null}
    </p>
  );
}

/** What holds for every entry of the file. */
function FileNotes({ preview }: { preview: Preview }) {
  const text = useNoteText();
  if (preview.notes.length === 0) return null;
  return (
    <ul className="flex max-w-4xl flex-col gap-1 text-ink-2 text-table">
      {preview.notes.map((note) => (
        <li key={note.code} className="flex items-start gap-2">
          <Info size={13} aria-hidden="true" className="mt-1 shrink-0 text-ink-3" />
          {text(note)}
        </li>
      ))}
    </ul>
  );
}
