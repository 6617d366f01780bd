"use client";
import { useRouter } from "next/navigation";
import { useLocale, useTranslations } from "next-intl";
import { keepChoice } from "@/app/_ui/choices";
import { Segmented } from "@/app/_ui/segmented";
import { LANGUAGE_NAMES, LOCALE_COOKIE, LOCALES } from "@/app/_words/locales";

export function LanguageButtons({ className }: { className?: string }) {
  const t = useTranslations("frame.language");
  const locale = useLocale();
  const router = useRouter();
  return (
    <Segmented
      label={t("label")}
      className={className}
      value={locale}
      onValue={(next) => {
        keepChoice(LOCALE_COOKIE, next);
        router.refresh();
      }}
      options={LOCALES.map((each) => ({ value: each, label: <span lang={each}>{LANGUAGE_NAMES[each]}</span> }))}
    />
  );
}
