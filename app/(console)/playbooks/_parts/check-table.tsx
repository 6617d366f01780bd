"use client";
import { useFormatter, useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { cn } from "@/app/_ui/class-names";
import { Duration } from "@/app/_ui/duration";
import { KeyValues } from "@/app/_ui/key-values";
import { Mono } from "@/app/_ui/mono";
import { Time, ZoneNote } from "@/app/_ui/time";
import type { Cell, CellKind } from "@/server/domain/playbooks/checks";
import type { CheckResult } from "./views";

const MANY_COLUMNS = 4;
const NUMBERS: ReadonlySet<CellKind> = new Set(["count", "share", "bytes", "decimal", "span"]);

/** What a check found. One row of many facts is told as a list of them. */
export function CheckTable({ result }: { result: CheckResult }) {
  const t = useTranslations("playbooks");
  const { columns, rows } = result;
  const show = useCell();
  const [first] = rows;
  if (!first) return null;
  if (rows.length === 1 && columns.length >= MANY_COLUMNS) {
    return (
      <KeyValues
        items={columns.map(({ name, kind }, at) => ({ key: name, label: t(`column.${name}`), value: show(kind, first[at] ?? null) }))}
      />
    );
  }
  const hasTimes = columns.some(({ kind }) => kind === "instant");
  return (
    <div className="overflow-x-auto">
      <table className="w-full border-separate border-spacing-0 text-table">
        <thead>
          <tr>
            {columns.map(({ name, kind }) => (
              <th
                key={name}
                scope="col"
                className={cn("border-b py-1 pr-4 font-medium text-ink-3 text-meta", NUMBERS.has(kind) ? "text-right" : "text-left")}
              >
                {t(`column.${name}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, no) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows of one look are never moved
            <tr key={no}>
              {columns.map(({ name, kind }, at) => (
                <td
                  key={name}
                  className={cn("max-w-96 break-words border-b py-1 pr-4 align-top", NUMBERS.has(kind) && "text-right tabular-nums")}
                >
                  {show(kind, row[at] ?? null)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {hasTimes ? (
        <p className="pt-1 text-ink-3 text-meta">
          <ZoneNote />
        </p>
      ) : null}
    </div>
  );
}

const MIB = 1_048_576;

function useCell(): (kind: CellKind, value: Cell) => ReactNode {
  const format = useFormatter();
  return (kind, value) => {
    if (value === null || value === "") return <span className="text-ink-3">{"–"}</span>;
    if (typeof value === "string") return kind === "mono" ? <Mono className="break-all">{value}</Mono> : value;
    switch (kind) {
      case "instant":
        return <Time bare at={value} className="whitespace-nowrap" />;
      case "span":
        return <Duration ms={value} />;
      case "share":
        return format.number(value, { style: "percent" });
      case "bytes":
        return value < MIB ? format.number(value) : `${format.number(value / MIB, { maximumFractionDigits: 0 })} MiB`;
      case "decimal":
        return format.number(value, { maximumFractionDigits: 1 });
      case "count":
      case "text":
      case "mono":
        return format.number(value);
    }
  };
}
