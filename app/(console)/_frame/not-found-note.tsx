import Link from "next/link";
import { getTranslations } from "next-intl/server";
import { Button } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";

export async function NotFoundNote() {
  const t = await getTranslations("frame.notFound");
  return (
    <EmptyState
      title={t("title")}
      actions={
        <Button asChild>
          <Link href="/">{t("home")}</Link>
        </Button>
      }
    >
      {t("body")}
    </EmptyState>
  );
}
