import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { currentProject } from "../_frame/load-frame";
import { NoProject } from "../_query/no-project";
import { DependenciesScreen } from "./_parts/dependencies-screen";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations("dependencies");
  return { title: t("title") };
}

export default async function DependenciesPage() {
  const project = await currentProject();
  if (!project) return <NoProject />;
  return <DependenciesScreen key={project.id} projectId={project.id} />;
}
