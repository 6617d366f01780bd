"use client";
import { useTranslations } from "next-intl";

/** Why a fire has no run, in words; a reason that no word is known for as it stands. */
export function useFireReason(): (reason: string) => string {
  const t = useTranslations("schedules.reason");
  return (reason) => (t.has(reason as "edited") ? t(reason as "edited") : reason);
}
