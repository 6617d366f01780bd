"use client";
import { useTranslations } from "next-intl";
import { memo, type ReactNode } from "react";
import { Badge } from "@/app/_ui/badge";
import { Checkbox } from "@/app/_ui/checkbox";
import { cn } from "@/app/_ui/class-names";
import { Link } from "@/app/_ui/link";
import { LineNotes } from "./line-notes";
import { OfferFires, OfferWhat } from "./offer-cells";
import type { PreviewRowProps } from "./row-props";
import { type Existing, isOffer, type PreviewLine } from "./views";

const GRID =
  "grid grid-cols-[1.75rem_2.25rem_minmax(0,1fr)] items-start gap-x-2 border-b px-3 py-1.5 lg:grid-cols-[1.75rem_2.5rem_minmax(0,1.5fr)_minmax(0,1fr)_15.5rem] lg:gap-x-3 md:mx-3";

/** One line of the file as it stands, and beside it what the import makes of it. */
export const PreviewRow = memo(function PreviewRow(props: PreviewRowProps) {
  const { line } = props;
  const t = useTranslations("imports.line");
  return (
    <li data-line={line.line} className={cn(GRID, "[contain-intrinsic-size:auto_44px] [content-visibility:auto]")}>
      <Tick {...props} />
      <span className="select-none pt-px text-right font-mono text-ink-3 text-meta leading-5">{line.line}</span>
      <div className="flex min-w-0 flex-col gap-1">
        <Raw line={line} known={props.existing !== undefined} />
        <Notes line={line} existing={props.existing} />
      </div>
      {isOffer(line) ? (
        <>
          <div className="min-w-0 max-lg:col-start-3">
            <OfferWhat {...props} offer={line} />
          </div>
          <div className="min-w-0 max-lg:col-start-3 max-lg:mt-1">
            <OfferFires offer={line} zone={props.zone} nowMs={props.nowMs} />
          </div>
        </>
      ) : line.kind === "env" ? (
        <span className="text-ink-3 text-meta leading-5 max-lg:col-start-3 lg:col-span-2">
          {t(line.name === "CRON_TZ" ? "zoneLine" : line.name === "MAILTO" ? "mailLine" : "envLine")}
        </span>
      ) : null}
    </li>
  );
});

function Tick({ line, ticked, existing, dispatch }: PreviewRowProps) {
  const t = useTranslations("imports.line");
  if (!isOffer(line) || existing) return <span />;
  return (
    <span className="flex h-5 items-center">
      <Checkbox
        name={t("tick", { line: line.line })}
        checked={ticked}
        onChecked={(on) => dispatch({ kind: "tick", line: line.line, on })}
      />
    </span>
  );
}

function Raw({ line, known }: { line: PreviewLine; known: boolean }) {
  const quiet = line.kind === "comment" || line.kind === "blank" || line.kind === "commented-entry" || known;
  return (
    <code
      title={line.raw}
      className={cn(
        "line-clamp-3 whitespace-pre-wrap break-all font-mono text-meta leading-5",
        quiet ? "text-ink-3" : "text-ink",
        (line.kind === "error" || line.kind === "unsupported") && "text-state-failed",
      )}
    >
      {line.raw === "" ? " " : line.raw}
    </code>
  );
}

function Notes({ line, existing }: { line: PreviewLine; existing: Existing | undefined }): ReactNode {
  const t = useTranslations("imports.line");
  switch (line.kind) {
    case "blank":
    case "comment":
      return null;
    case "env":
      return <LineNotes kind="warning" notes={line.warnings} />;
    case "error":
    case "unsupported":
      return <LineNotes kind="refused" notes={line.reasons} />;
    case "entry":
    case "commented-entry":
      return (
        <>
          {line.kind === "commented-entry" || line.duplicateOf !== null || existing ? (
            <span className="flex flex-wrap gap-1.5">
              {existing ? (
                <Badge>
                  <Link href={`/pipelines/${existing.pipelineId}`}>{t("existing", { name: existing.name })}</Link>
                </Badge>
              ) : null}
              {line.kind === "commented-entry" ? <Badge className="border-dashed">{t("commented")}</Badge> : null}
              {line.duplicateOf === null ? null : <Badge>{t("duplicate", { line: line.duplicateOf })}</Badge>}
            </span>
          ) : null}
          <LineNotes kind="lost" notes={line.notCarriedOver} />
          <LineNotes kind="warning" notes={line.warnings} />
        </>
      );
  }
}
