"use client";
import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { Mark, Wordmark } from "@/app/_ui/brand";
import { DayDial } from "./day-dial";
import { LanguageButtons } from "./language-buttons";

/** One column to act in; beside it, where there is room, the day as a dial. */
export function AuthGround({ children }: { children: ReactNode }) {
  const t = useTranslations("frame");
  return (
    <div className="grid min-h-dvh lg:grid-cols-[minmax(26rem,2fr)_3fr]">
      <div className="flex flex-col px-6 py-6 md:px-12">
        <div className="flex items-center gap-2.5">
          <Mark size={22} />
          <Wordmark className="font-semibold text-title tracking-[-0.01em]" />
          <LanguageButtons className="ml-auto" />
        </div>
        <main className="my-auto w-full max-w-sm self-center py-10 lg:self-start lg:pl-[8%]">{children}</main>
        <p className="text-ink-3 text-meta">{t("tagline")}</p>
      </div>
      <div aria-hidden="true" className="flex items-center justify-center overflow-hidden border-l bg-sunk max-lg:hidden">
        <DayDial />
      </div>
    </div>
  );
}
