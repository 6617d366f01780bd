"use client";
import { useTranslations } from "next-intl";
import type { Suppressor } from "./views";

/** What kept something from people, in words; each that did by itself. */
export function SuppressorLines({ of, className }: { of: readonly Suppressor[]; className?: string }) {
  const text = useSuppressorText();
  return of.map((each) => (
    <span key={`${each.kind} ${each.ref}`} className={className ?? "block break-words text-ink-3 text-meta"}>
      {text(each)}
    </span>
  ));
}

export function useSuppressorText() {
  const t = useTranslations("alerts.why");
  // What was kept before its data was has nothing to say but its kind.
  return ({ kind, data }: Suppressor): string => (Object.keys(data).length === 0 && kind !== "grace" ? "" : t(kind, data as never));
}
