"use client";
import { useTranslations } from "next-intl";
import { type KeyboardEvent, useRef, useState } from "react";
import { cn } from "@/app/_ui/class-names";
import { heatOf, type Place, placeAfter } from "./model/heat";
import type { BoardView } from "./views";

/** The colour is of the failure; the number says it to who sees none. */
const HEAT = [
  "",
  "bg-[color-mix(in_oklab,var(--state-failed)_9%,transparent)]",
  "bg-[color-mix(in_oklab,var(--state-failed)_18%,transparent)]",
  "bg-[color-mix(in_oklab,var(--state-failed)_28%,transparent)]",
  "bg-[color-mix(in_oklab,var(--state-failed)_38%,transparent)]",
] as const;

/** Codes down, workers across: one tab stop, arrows inside, and the cell in words under it. */
export function HeatMap({ board }: { board: BoardView }) {
  const t = useTranslations("workers.board");
  const grid = useRef<HTMLTableElement>(null);
  const [at, setAt] = useState<Place>({ row: 0, column: 0 });
  const { codes, cells } = board;
  const failed = new Set(cells.map(({ worker }) => worker));
  // Who is gone is shown for what it left; who lives, for what it did not do.
  const workers = board.workers.filter(({ id, isLive }) => isLive || failed.has(id));
  const counts = new Map(cells.map(({ worker, code, count }) => [`${worker}\n${code}`, count]));
  const countOf = (worker: string, code: string) => counts.get(`${worker}\n${code}`) ?? 0;
  const most = Math.max(0, ...cells.map(({ count }) => count));
  const place = { row: Math.min(at.row, codes.length - 1), column: Math.min(at.column, workers.length - 1) };
  const [code, worker] = [codes[place.row], workers[place.column]];
  const onKey = (event: KeyboardEvent) => {
    const next = placeAfter(event.key, event.ctrlKey || event.metaKey, place, { rows: codes.length, columns: workers.length });
    if (!next) return;
    event.preventDefault();
    setAt(next);
    grid.current?.querySelector<HTMLElement>(`[data-place="${next.row} ${next.column}"]`)?.focus();
  };
  return (
    <div className="flex flex-col gap-2">
      <div className="-mx-4 overflow-x-auto px-4 pb-1 md:mx-0 md:px-0">
        <table ref={grid} aria-label={t("grid")} className="border-separate border-spacing-0.5 text-table">
          <thead>
            <tr>
              <th scope="col" className="sticky left-0 z-10 bg-ground text-left align-bottom font-normal text-ink-3 text-meta">
                {t("code")}
              </th>
              {workers.map(({ id, isLive }) => (
                <th
                  key={id}
                  scope="col"
                  className={cn(
                    "min-w-20 max-w-28 break-all px-1.5 pb-1 text-left align-bottom font-medium text-meta",
                    !isLive && "text-ink-3",
                  )}
                >
                  {isLive ? id : t("gone", { worker: id })}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {codes.map((name, row) => (
              <HeatRow
                key={name}
                row={row}
                code={name}
                counts={workers.map(({ id }) => ({ worker: id, count: countOf(id, name) }))}
                most={most}
                here={row === place.row ? place.column : -1}
                onPlace={setAt}
                onKey={onKey}
              />
            ))}
          </tbody>
        </table>
      </div>
      <p aria-hidden="true" className="break-words text-ink-2 text-meta">
        {code && worker ? t("cell", { worker: worker.id, code, n: countOf(worker.id, code) }) : null}
      </p>
      {board.codesLeftOut > 0 ? <p className="text-ink-3 text-meta">{t("leftOut", { n: board.codesLeftOut })}</p> : null}
    </div>
  );
}

interface HeatRowProps {
  row: number;
  code: string;
  counts: readonly { readonly worker: string; readonly count: number }[];
  most: number;
  /** The column that takes the tab stop; -1 where it is in another row. */
  here: number;
  onPlace: (place: Place) => void;
  onKey: (event: KeyboardEvent) => void;
}

function HeatRow({ row, code, counts, most, here, onPlace, onKey }: HeatRowProps) {
  const t = useTranslations("workers.board");
  return (
    <tr>
      <th
        scope="row"
        className="sticky left-0 z-10 min-w-36 max-w-[42vw] break-all bg-ground pr-2 text-left font-mono font-normal text-meta md:max-w-96"
      >
        {code}
      </th>
      {counts.map(({ worker, count }, column) => (
        <td key={worker} className="p-0">
          <button
            type="button"
            tabIndex={column === here ? 0 : -1}
            data-place={`${row} ${column}`}
            aria-label={t("cell", { worker, code, n: count })}
            onFocus={() => onPlace({ row, column })}
            onClick={() => onPlace({ row, column })}
            onKeyDown={onKey}
            className={cn(
              "block h-8 w-full min-w-12 cursor-default rounded-sm border border-line px-1.5 text-right tabular-nums",
              HEAT[heatOf(count, most)],
              count === 0 && "text-ink-3",
            )}
          >
            {count === 0 ? "·" : count}
          </button>
        </td>
      ))}
    </tr>
  );
}
