"use client";
import { JsonView } from "@/app/_ui/json-view";
import { KeyValues } from "@/app/_ui/key-values";

const isPlain = (value: unknown): value is string | number | boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean";

/** What a service or a process answered: short values as facts, the rest as trees. */
export function AnswerFacts({ answer, label }: { answer: Readonly<Record<string, unknown>>; label: string }) {
  const entries = Object.entries(answer).filter(([, value]) => value !== null && value !== undefined);
  const facts = entries.filter(([, value]) => isPlain(value) && String(value).length < 200);
  const trees = entries.filter(([, value]) => !isPlain(value) || String(value).length >= 200);
  return (
    <div className="flex flex-col gap-3">
      {facts.length > 0 ? <KeyValues items={facts.map(([key, value]) => ({ key, label: key, value: String(value), mono: true }))} /> : null}
      {trees.map(([key, value]) => (
        <section key={key} className="flex flex-col gap-1">
          <h4 className="text-ink-3 text-meta">{key}</h4>
          <JsonView value={value} label={`${label}: ${key}`} depth={1} maxHeight="16rem" />
        </section>
      ))}
    </div>
  );
}
