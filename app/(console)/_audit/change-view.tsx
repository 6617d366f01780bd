"use client";
import { useTranslations } from "next-intl";
import { cn } from "@/app/_ui/class-names";
import { type ValueChange, valueChanges } from "./model/value-diff";

const text = (value: unknown): string => (value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value));

/** What was and what came, field by field; what stayed steps back. */
export function ChangeView({ before, after }: { before: unknown; after: unknown }) {
  const t = useTranslations("audit.row");
  const changes = valueChanges(before, after);
  if (changes.length === 0) return <p className="text-ink-3 text-table">{t("noChange")}</p>;
  return (
    <table className="w-full table-fixed border-collapse text-meta">
      <thead>
        <tr className="text-left text-ink-3">
          <th scope="col" className="w-1/3 border-b py-1 pr-2 font-medium">
            {t("field")}
          </th>
          <th scope="col" className="border-b py-1 pr-2 font-medium">
            {t("before")}
          </th>
          <th scope="col" className="border-b py-1 font-medium">
            {t("after")}
          </th>
        </tr>
      </thead>
      <tbody>
        {changes.map((change) => (
          <Row key={change.path} change={change} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ change }: { change: ValueChange }) {
  const cell = "break-words border-b py-1 pr-2 align-top font-mono leading-5";
  return (
    <tr className={cn(change.same && "text-ink-3")}>
      <th scope="row" className={cn(cell, "text-left font-normal text-ink-2")}>
        {change.path === "" ? "–" : change.path}
      </th>
      <td className={cell}>
        {change.same || change.before === undefined ? (
          text(change.before)
        ) : (
          <del className="decoration-state-failed">{text(change.before)}</del>
        )}
      </td>
      <td className={cn(cell, "pr-0")}>
        {change.same || change.after === undefined ? text(change.after) : <ins className="no-underline">{text(change.after)}</ins>}
      </td>
    </tr>
  );
}
