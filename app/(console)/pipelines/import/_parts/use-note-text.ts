"use client";
import { useTranslations } from "next-intl";
import type { Note } from "./views";

const first = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** A note in the interface's language; one that no word is known for in the server's. */
export function useNoteText(): (note: Note) => string {
  const t = useTranslations("imports.note");
  const warning = useTranslations("editor.cronWarning");
  const problem = useTranslations("editor.problem");
  const field = useTranslations("editor.cronField");
  return ({ code, message, values }) => {
    if (t.has(code as never)) return first(t(code as never, values as never));
    const name = String(values.field ?? "").replaceAll(" ", "_");
    const facts = { ...values, field: field.has(name as never) ? field(name as never) : name } as never;
    const short = code.replace(/^cron_/, "");
    if (warning.has(short as never)) return first(warning(short as never, facts));
    return first(problem.has(code as never) ? problem(code as never, facts) : message);
  };
}
