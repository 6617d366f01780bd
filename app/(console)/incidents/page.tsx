import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { currentProject } from "../_frame/load-frame";
import { NoProject } from "../_query/no-project";
import { IncidentsScreen } from "./_parts/incidents-screen";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations("incidents");
  return { title: t("title") };
}

export default async function IncidentsPage() {
  const project = await currentProject();
  if (!project) return <NoProject />;
  return <IncidentsScreen key={project.id} projectId={project.id} />;
}
