"use client";
import { useTranslations } from "next-intl";
import { ErrorState } from "@/app/_ui/error-state";

export default function ConsoleError({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  const t = useTranslations("frame.broken");
  return (
    <div className="px-4 py-8 md:px-6">
      <ErrorState title={t("title")} detail={t("body")} where={error.digest} onRetry={reset} />
    </div>
  );
}
