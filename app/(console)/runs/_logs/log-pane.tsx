"use client";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useTranslations } from "next-intl";
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { failureOf } from "@/app/_trpc/failure";
import { Button } from "@/app/_ui/button";
import { notify } from "@/app/_ui/toast";
import { LogLineRow } from "./log-line";
import { LogTools } from "./log-tools";
import { matchingLines, stepMatch } from "./model/log-search";
import { type LogTail, linesOf, type NumberedLine } from "./model/log-tail";
import { type LogPlace, type ReadLogs, useLogTail } from "./use-log-tail";
import { readWholeLog, saveLog } from "./whole-log";

const LINE_PX = 20;
/** Within so many pixels of the end a person counts as being there. */
const NEAR_PX = 24;

/** The log of one attempt as a live tail. Mount it anew for another attempt. */
export function LogPane({ place }: { place: LogPlace }) {
  const t = useTranslations("run.logs");
  const log = useLogTail(place);
  const { tail } = log;
  const lines = useMemo(() => linesOf(tail), [tail]);
  const [view, setView] = useState({ wrap: true, times: false });
  const [search, setSearch] = useState({ query: "", at: 0 });
  const scroller = useRef<HTMLDivElement>(null);
  const follow = useFollow(scroller, lines);
  const found = useMemo(() => matchingLines(lines, search.query), [lines, search.query]);
  const { saving, save } = useDownload(log.read, place);
  useHeldPlace(scroller, lines[0]?.id);

  return (
    <section aria-label={t("label", { node: place.key })} className="flex h-full min-h-0 flex-col">
      <LogTools
        query={search.query}
        onQuery={(query) => setSearch({ query, at: -1 })}
        matches={{ at: search.at, count: found.length }}
        onStep={(by) => {
          follow.release();
          setSearch({ ...search, at: stepMatch(found.length, search.at, by) });
        }}
        wrap={view.wrap}
        onWrap={(wrap) => setView({ ...view, wrap })}
        times={view.times}
        onTimes={(times) => setView({ ...view, times })}
        follow={follow.on}
        onFollow={follow.toggle}
        downloading={saving}
        onDownload={save}
      />
      <div
        ref={scroller}
        onScroll={follow.onScroll}
        role="log"
        aria-live="off"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="relative min-h-40 flex-1 overflow-auto bg-sunk py-1 outline-offset-[-2px] [overflow-anchor:none]"
      >
        {tail.olderExist ? (
          <Button size="sm" busy={log.olderBusy} onClick={log.loadOlder} className="mx-3 my-1.5">
            {t("older")}
          </Button>
        ) : null}
        {lines.length === 0 ? <Nothing loaded={tail.loaded} ended={tail.ended} /> : null}
        <LogLines
          lines={lines}
          numbered={!tail.olderExist}
          query={search.query}
          current={found[search.at] ?? -1}
          scroller={scroller}
          {...view}
        />
        {tail.truncated && tail.ended ? (
          <p className="mx-3 my-2 border-state-retrying border-t border-dashed pt-1 text-meta text-state-retrying">{t("truncated")}</p>
        ) : null}
      </div>
      <LogFoot
        tail={tail}
        count={lines.length}
        error={log.error}
        follow={follow}
        note={search.query !== "" && tail.olderExist ? t("searchLoaded") : undefined}
      />
    </section>
  );
}

interface LogLinesProps {
  lines: readonly NumberedLine[];
  /** The first line here is the first of the log. */
  numbered: boolean;
  query: string;
  /** Index of the match that is stepped to. */
  current: number;
  scroller: RefObject<HTMLDivElement | null>;
  wrap: boolean;
  times: boolean;
}

/** Only the lines in sight are drawn, however long the log is. */
function LogLines({ lines, numbered, query, current, scroller, wrap, times }: LogLinesProps) {
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_PX,
    getItemKey: (index) => lines[index]?.id ?? index,
    overscan: 20,
  });

  useEffect(() => {
    if (current >= 0) virtualizer.scrollToIndex(current, { align: "center" });
  }, [virtualizer, current]);

  return (
    <div style={{ height: virtualizer.getTotalSize() }} className="relative min-w-full">
      {virtualizer.getVirtualItems().map((item) => {
        const line = lines[item.index];
        return line === undefined ? null : (
          <div
            key={item.key}
            data-index={item.index}
            ref={virtualizer.measureElement}
            style={{ transform: `translateY(${item.start}px)` }}
            className={wrap ? "absolute inset-x-0 top-0" : "absolute top-0 left-0 min-w-full"}
          >
            <LogLineRow
              line={line}
              no={numbered ? item.index + 1 : null}
              query={query}
              current={current === item.index}
              wrap={wrap}
              times={times}
            />
          </div>
        );
      })}
    </div>
  );
}

function Nothing({ loaded, ended }: { loaded: boolean; ended: boolean }) {
  const t = useTranslations("run.logs");
  return <p className="px-4 py-3 text-ink-3 text-table">{t(loaded ? (ended ? "emptyEnded" : "emptyLive") : "reading")}</p>;
}

interface LogFootProps {
  tail: LogTail;
  count: number;
  error: unknown;
  follow: ReturnType<typeof useFollow>;
  note?: string;
}

function LogFoot({ tail: { bytes, loaded, ended }, count, error, follow, note }: LogFootProps) {
  const t = useTranslations("run.logs");
  const size =
    bytes < 10_000 ? `${bytes} B` : bytes < 10_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
  return (
    <footer className="flex min-h-8 shrink-0 items-center gap-3 border-t px-3 text-ink-3 text-meta">
      <span className="tabular-nums">{t("lines", { n: count })}</span>
      {bytes > 0 ? <span className="tabular-nums">{size}</span> : null}
      {loaded ? <span>{t(ended ? "ended" : "live")}</span> : null}
      {note ? <span className="min-w-0 truncate">{note}</span> : null}
      {error ? <span className="min-w-0 truncate text-state-failed">{failureOf(error)?.message ?? t("stale")}</span> : null}
      {follow.missed > 0 ? (
        <Button size="sm" onClick={follow.toggle} className="ml-auto">
          {t("newLines", { n: follow.missed })}
        </Button>
      ) : null}
    </footer>
  );
}

/** Stays at the end while lines come, until a person scrolls away; then counts what they have not seen. */
function useFollow(scroller: RefObject<HTMLDivElement | null>, lines: readonly NumberedLine[]) {
  const [on, setOn] = useState(true);
  const [seen, setSeen] = useState(0);
  const lastTop = useRef(0);
  const toEnd = () => scroller.current?.scrollTo({ top: scroller.current.scrollHeight });

  useLayoutEffect(() => {
    const element = scroller.current;
    if (on && element && lines.length > 0) element.scrollTo({ top: element.scrollHeight });
  }, [on, lines, scroller]);

  // Heights of wrapped lines are measured after they are drawn: go to the real end once more.
  useEffect(() => {
    if (!on || lines.length === 0) return;
    const frame = requestAnimationFrame(() => scroller.current?.scrollTo({ top: scroller.current.scrollHeight }));
    return () => cancelAnimationFrame(frame);
  }, [on, lines, scroller]);

  return {
    on,
    missed: on ? 0 : Math.max(0, lines.length - seen),
    release: () => {
      setOn(false);
      setSeen(lines.length);
    },
    toggle: () => {
      setOn(!on);
      setSeen(lines.length);
      if (!on) toEnd();
    },
    onScroll: () => {
      const element = scroller.current;
      if (!element) return;
      const up = element.scrollTop < lastTop.current - 1;
      const atEnd = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX;
      lastTop.current = element.scrollTop;
      if (on && up && !atEnd) {
        setOn(false);
        setSeen(lines.length);
      } else if (!on && atEnd && !up) setOn(true);
    },
  };
}

/** Earlier lines come in above: what is read stays where it is. */
function useHeldPlace(scroller: RefObject<HTMLDivElement | null>, firstId: string | undefined) {
  const before = useRef<{ firstId: string | undefined; height: number }>({ firstId: undefined, height: 0 });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const { firstId: was, height } = before.current;
    if (was !== undefined && firstId !== was) element.scrollTop += element.scrollHeight - height;
    before.current = { firstId, height: element.scrollHeight };
  });
}

function useDownload(read: ReadLogs, place: LogPlace) {
  const t = useTranslations("run.logs");
  const [saving, setSaving] = useState<number | null>(null);
  const save = async () => {
    setSaving(0);
    try {
      const lines = await readWholeLog(read, setSaving);
      saveLog(lines, `${place.runId}-${place.key}-${place.generation}.${place.attempt}.log`);
    } catch (error) {
      notify({ tone: "bad", title: t("downloadFailed"), detail: failureOf(error)?.message });
    }
    setSaving(null);
  };
  return { saving, save: () => void save() };
}
