"use client";
import { Upload } from "lucide-react";
import { useTranslations } from "next-intl";
import { type DragEvent, useRef, useState } from "react";
import { Button } from "@/app/_ui/button";
import { cn } from "@/app/_ui/class-names";
import { Field } from "@/app/_ui/field";
import { Select } from "@/app/_ui/select";
import { Textarea } from "@/app/_ui/textarea";
import { checkZone } from "@/server/domain/schedule/zone";
import { ZoneInput } from "./zone-input";

export const FORMS = ["auto", "user", "system"] as const;

export interface Source {
  readonly text: string;
  readonly form: (typeof FORMS)[number];
  readonly timezone: string;
}

interface SourceFormProps {
  source: Source;
  onSource: (source: Source) => void;
  onPreview: () => void;
  busy: boolean;
  /** What the server refused, in its words. */
  error: string | null;
}

const MAX_BYTES = 1_000_000;

/** Text and files are the same: a file is read here and shown, so that nothing unseen is sent. */
export function SourceForm({ source, onSource, onPreview, busy, error }: SourceFormProps) {
  const t = useTranslations("imports.source");
  const [over, setOver] = useState(false);
  const [refused, setRefused] = useState<string | null>(null);
  const zoneWrong = !checkZone(source.timezone).ok;

  const take = (given: File | undefined) => {
    if (!given) return;
    if (given.size > MAX_BYTES) {
      setRefused(t("tooLarge", { name: given.name }));
      return;
    }
    void given.text().then(
      (text) => {
        setRefused(null);
        onSource({ ...source, text });
      },
      () => setRefused(t("unreadable", { name: given.name })),
    );
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files[0]);
  };

  return (
    <form
      className="grid gap-x-8 gap-y-5 px-4 pb-8 md:px-6 lg:grid-cols-[1fr_20rem]"
      onSubmit={(event) => {
        event.preventDefault();
        if (source.text.trim() !== "" && !zoneWrong) onPreview();
      }}
    >
      <div className="flex min-w-0 flex-col gap-3">
        <Field label={t("text")} error={refused ?? error} hint={t("textHint")}>
          <Textarea
            mono
            autoFocus
            rows={20}
            value={source.text}
            placeholder={t("placeholder")}
            maxLength={MAX_BYTES}
            onChange={(event) => onSource({ ...source, text: event.target.value })}
            onDragOver={(event) => {
              event.preventDefault();
              setOver(true);
            }}
            onDragLeave={() => setOver(false)}
            onDrop={onDrop}
            className={cn("min-h-64 leading-6", over && "border-ink outline outline-1 outline-ink")}
          />
        </Field>
      </div>
      <div className="flex flex-col gap-4">
        <FilePicker onFile={take} />
        <Field label={t("form")} hint={t(`formHint.${source.form}`)}>
          <Select
            value={source.form}
            onValue={(form) => onSource({ ...source, form })}
            options={FORMS.map((value) => ({ value, label: t(`forms.${value}`) }))}
          />
        </Field>
        <Field label={t("zone")} hint={t("zoneHint")} error={zoneWrong ? t("zoneWrong") : undefined}>
          <ZoneInput value={source.timezone} onValue={(timezone) => onSource({ ...source, timezone })} />
        </Field>
        <Button type="submit" look="primary" size="lg" busy={busy} disabled={source.text.trim() === "" || zoneWrong}>
          {t("preview")}
        </Button>
        <p className="text-ink-3 text-meta">{t("nothingYet")}</p>
      </div>
    </form>
  );
}

function FilePicker({ onFile }: { onFile: (file: File | undefined) => void }) {
  const t = useTranslations("imports.source");
  const input = useRef<HTMLInputElement>(null);
  return (
    <div>
      <Button onClick={() => input.current?.click()}>
        <Upload size={13} aria-hidden="true" />
        {t("upload")}
      </Button>
      <input
        ref={input}
        type="file"
        className="sr-only"
        tabIndex={-1}
        aria-label={t("upload")}
        onChange={(event) => {
          onFile(event.target.files?.[0]);
          event.target.value = "";
        }}
      />
      <p className="mt-1 text-ink-3 text-meta">{t("uploadHint")}</p>
    </div>
  );
}
