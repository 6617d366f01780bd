import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { currentProject, loadMe } from "../_frame/load-frame";
import { WorkersScreen } from "./_parts/workers-screen";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations("workers");
  return { title: t("title") };
}

export default async function WorkersPage() {
  const [me, project] = await Promise.all([loadMe(), currentProject()]);
  return <WorkersScreen mayDrain={me.user?.isAdministrator ?? false} project={project} />;
}
