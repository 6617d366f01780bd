"use client";
import { CircleSlash2, TriangleAlert, Unlink } from "lucide-react";
import { useTranslations } from "next-intl";
import { useNoteText } from "./use-note-text";
import type { Note } from "./views";

const KINDS = {
  refused: { icon: CircleSlash2, color: "text-state-failed" },
  lost: { icon: Unlink, color: "text-state-retrying" },
  warning: { icon: TriangleAlert, color: "text-state-retrying" },
} as const;

/** What is refused, what does not come along, and what is often not what its author means. */
export function LineNotes({ kind, notes }: { kind: keyof typeof KINDS; notes: readonly Note[] }) {
  const t = useTranslations("imports.noteKind");
  const text = useNoteText();
  const { icon: Icon, color } = KINDS[kind];
  if (notes.length === 0) return null;
  return (
    <ul className="flex flex-col gap-0.5">
      {notes.map((note) => (
        <li key={note.code} className="flex items-start gap-1.5 text-meta">
          <Icon size={12} role="img" aria-label={t(kind)} className={`mt-0.5 shrink-0 ${color}`} />
          <span className="min-w-0 break-words text-ink-2">
            <span className={`font-medium ${color}`}>{t(kind)}</span> {text(note)}
          </span>
        </li>
      ))}
    </ul>
  );
}
