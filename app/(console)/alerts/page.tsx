import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { currentProject } from "../_frame/load-frame";
import { NoProject } from "../_query/no-project";
import { AlertsScreen } from "./_parts/alerts-screen";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations("alerts");
  return { title: t("title") };
}

export default async function AlertsPage() {
  const project = await currentProject();
  if (!project) return <NoProject />;
  return <AlertsScreen key={project.id} projectId={project.id} role={project.role} />;
}
