"use client";
import { ArrowDown, ArrowDownToLine, ArrowUp, Clock, Download, WrapText } from "lucide-react";
import { useTranslations } from "next-intl";
import { IconButton } from "@/app/_ui/icon-button";
import { SearchInput } from "@/app/_ui/search-input";
import { Spinner } from "@/app/_ui/spinner";

const PRESSED = "aria-pressed:bg-selected aria-pressed:text-ink";

interface LogToolsProps {
  query: string;
  onQuery: (query: string) => void;
  matches: { at: number; count: number };
  onStep: (step: 1 | -1) => void;
  wrap: boolean;
  onWrap: (wrap: boolean) => void;
  times: boolean;
  onTimes: (times: boolean) => void;
  follow: boolean;
  onFollow: () => void;
  /** Lines read so far; null while nothing is downloaded. */
  downloading: number | null;
  onDownload: () => void;
}

export function LogTools(props: LogToolsProps) {
  const t = useTranslations("run.logs");
  const { query, matches, wrap, times, follow, downloading } = props;
  return (
    <div className="flex h-10 shrink-0 items-center gap-1 border-b px-2">
      <search
        className="flex min-w-0 flex-1 items-center gap-1"
        onKeyDown={(event) => {
          if (event.key !== "Enter" || query === "") return;
          event.preventDefault();
          props.onStep(event.shiftKey ? -1 : 1);
        }}
      >
        <SearchInput label={t("search")} value={query} onValue={props.onQuery} className="w-full max-w-56" />
        {query === "" ? null : (
          <>
            <span role="status" className="shrink-0 text-ink-3 text-meta tabular-nums">
              {matches.count === 0 ? t("noMatch") : t("matches", { at: matches.at + 1, n: matches.count })}
            </span>
            <IconButton
              size="sm"
              label={t("previous")}
              disabled={matches.count === 0}
              icon={<ArrowUp size={13} aria-hidden="true" />}
              onClick={() => props.onStep(-1)}
            />
            <IconButton
              size="sm"
              label={t("next")}
              disabled={matches.count === 0}
              icon={<ArrowDown size={13} aria-hidden="true" />}
              onClick={() => props.onStep(1)}
            />
          </>
        )}
      </search>
      <IconButton
        size="sm"
        label={t("times")}
        aria-pressed={times}
        className={PRESSED}
        icon={<Clock size={13} aria-hidden="true" />}
        onClick={() => props.onTimes(!times)}
      />
      <IconButton
        size="sm"
        label={t("wrap")}
        aria-pressed={wrap}
        className={PRESSED}
        icon={<WrapText size={13} aria-hidden="true" />}
        onClick={() => props.onWrap(!wrap)}
      />
      <IconButton
        size="sm"
        label={t(follow ? "following" : "follow")}
        aria-pressed={follow}
        className={PRESSED}
        icon={<ArrowDownToLine size={13} aria-hidden="true" />}
        onClick={props.onFollow}
      />
      <IconButton
        size="sm"
        label={downloading === null ? t("download") : t("downloading", { n: downloading })}
        disabled={downloading !== null}
        icon={downloading === null ? <Download size={13} aria-hidden="true" /> : <Spinner />}
        onClick={props.onDownload}
      />
    </div>
  );
}
