"use client";
import { useTranslations } from "next-intl";
import { ErrorState } from "@/app/_ui/error-state";

/** Where the frame itself could not be loaded. */
export default function RootError({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  const t = useTranslations("frame.broken");
  return (
    <main className="mx-auto max-w-2xl px-4 py-16">
      <ErrorState title={t("title")} detail={t("server")} where={error.digest} onRetry={reset} />
    </main>
  );
}
