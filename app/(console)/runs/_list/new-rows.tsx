"use client";
import { ArrowUp } from "lucide-react";
import { useTranslations } from "next-intl";
import { Kbd } from "@/app/_ui/kbd";

/** What has come since stays above until it is asked for: nothing moves under the cursor. */
export function NewRows({ count, onShow }: { count: number; onShow: () => void }) {
  const t = useTranslations("runs");
  return (
    <div role="status" className="sticky top-1 z-20 flex h-0 justify-center">
      {count > 0 ? (
        <button
          type="button"
          onClick={onShow}
          className="appear mt-0.5 inline-flex h-7 items-center gap-2 rounded-full border border-ink bg-ink px-3 font-medium text-panel text-table shadow-lift hover:bg-ink-2 pointer-coarse:h-10"
        >
          <ArrowUp size={13} aria-hidden="true" />
          {t("fresh", { n: count })}
          <Kbd keys="." className="max-md:hidden [&_kbd]:border-ink-3 [&_kbd]:text-panel" />
        </button>
      ) : null}
    </div>
  );
}
