import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { FirstAdminForm } from "./first-admin-form";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations("auth.firstAdmin");
  return { title: t("title"), referrer: "no-referrer" };
}

/** Looking at the link spends nothing: previews and reloads are harmless, only the form's POST consumes it. */
export default async function FirstAdminPage({ searchParams }: { searchParams: Promise<{ token?: string | string[] }> }) {
  const { token } = await searchParams;
  return <FirstAdminForm token={typeof token === "string" && token !== "" ? token : null} />;
}
