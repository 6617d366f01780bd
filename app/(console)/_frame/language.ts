"use client";
import { useRouter } from "next/navigation";
import { useLocale } from "next-intl";
import { keepChoice } from "@/app/_ui/choices";
import { isLocale, LOCALE_COOKIE, type Locale } from "@/app/_words/locales";

export function useLanguage(): { locale: Locale; setLocale: (locale: string) => void } {
  const locale = useLocale();
  const router = useRouter();
  return {
    locale,
    setLocale: (next) => {
      if (!isLocale(next)) return;
      keepChoice(LOCALE_COOKIE, next);
      router.refresh();
    },
  };
}
