import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { loadMe } from "../_frame/load-frame";
import { WorkersScreen } from "./_parts/workers-screen";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations("workers");
  return { title: t("title") };
}

export default async function WorkersPage() {
  const me = await loadMe();
  return <WorkersScreen mayDrain={me.user?.isAdministrator ?? false} />;
}
