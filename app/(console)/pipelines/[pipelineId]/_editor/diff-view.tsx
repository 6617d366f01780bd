"use client";
import { Minus, PenLine, Plus } from "lucide-react";
import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { type DefinitionDiff, type FieldChange, isEmptyDiff } from "@/server/domain/pipeline/diff";

const MAX_SHOWN = 160;

function shown(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

function Change({ change }: { change: FieldChange }) {
  const t = useTranslations("editor.diff");
  return (
    <li className="grid grid-cols-[minmax(7rem,14rem)_1fr] gap-x-3 py-0.5 text-meta leading-5 max-sm:grid-cols-1">
      <code className="truncate font-mono text-ink-3" title={change.path}>
        {change.path}
      </code>
      <span className="min-w-0 break-words font-mono">
        {change.before === undefined ? null : (
          <del className="mr-2 text-ink-3 decoration-state-failed">
            <span className="sr-only">{t("before")} </span>
            {shown(change.before)}
          </del>
        )}
        {change.after === undefined ? null : (
          <ins className="no-underline">
            <span className="sr-only">{t("after")} </span>
            {shown(change.after)}
          </ins>
        )}
      </span>
    </li>
  );
}

function Row({ icon, name, note, changes }: { icon: ReactNode; name: string; note?: string; changes?: readonly FieldChange[] }) {
  return (
    <li className="border-b py-1.5 last:border-b-0">
      <p className="flex items-center gap-2 text-table">
        {icon}
        <code className="font-mono">{name}</code>
        {note ? <span className="text-ink-3 text-meta">{note}</span> : null}
      </p>
      {changes === undefined ? null : (
        <ul className="pl-6">
          {changes.map((change) => (
            <Change key={change.path} change={change} />
          ))}
        </ul>
      )}
    </li>
  );
}

/** What changes between two definitions, by node and by field. */
export function DiffView({ diff }: { diff: DefinitionDiff }) {
  const t = useTranslations("editor.diff");
  if (isEmptyDiff(diff)) return <p className="text-ink-2 text-table">{t("none")}</p>;
  return (
    <ul className="rounded-md border px-3">
      {diff.added.map((key) => (
        <Row
          key={`+${key}`}
          icon={<Plus size={13} aria-label={t("added")} className="text-state-success" />}
          name={key}
          note={t("added")}
        />
      ))}
      {diff.removed.map((key) => (
        <Row
          key={`-${key}`}
          icon={<Minus size={13} aria-label={t("removed")} className="text-state-failed" />}
          name={key}
          note={t("removed")}
        />
      ))}
      {diff.changed.map(({ key, fields }) => (
        <Row key={key} icon={<PenLine size={13} aria-label={t("changed")} className="text-ink-2" />} name={key} changes={fields} />
      ))}
      {diff.settings.length > 0 ? (
        <Row icon={<PenLine size={13} aria-label={t("changed")} className="text-ink-2" />} name={t("pipeline")} changes={diff.settings} />
      ) : null}
      {diff.reordered ? <Row icon={<PenLine size={13} aria-label={t("changed")} className="text-ink-2" />} name={t("order")} /> : null}
    </ul>
  );
}
