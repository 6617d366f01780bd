import { getTranslations } from "next-intl/server";
import { EmptyState } from "@/app/_ui/empty-state";

/** In place of a page that is about a project, for who is in none. */
export async function NoProject() {
  const t = await getTranslations("frame.project");
  return <EmptyState title={t("none")}>{t("missing")}</EmptyState>;
}
