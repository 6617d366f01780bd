import Link from "next/link";
import { getTranslations } from "next-intl/server";
import { Button } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";

export default async function RunNotFound() {
  const t = await getTranslations("run.notFound");
  return (
    <EmptyState
      title={t("title")}
      actions={
        <Button asChild>
          <Link href="/runs">{t("runs")}</Link>
        </Button>
      }
    >
      {t("body")}
    </EmptyState>
  );
}
