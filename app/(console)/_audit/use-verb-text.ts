"use client";
import { useTranslations } from "next-intl";

/** What somebody did, in the past: "published"; a verb that no word is known for as it is recorded. */
export function useVerbText(): (verb: string) => string {
  const t = useTranslations("audit.verb");
  return (verb) => (t.has(verb as "run.trigger") ? t(verb as "run.trigger") : verb);
}
