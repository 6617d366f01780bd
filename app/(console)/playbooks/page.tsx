import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { currentProject } from "../_frame/load-frame";
import { NoProject } from "../_query/no-project";
import { PlaybooksScreen } from "./_parts/playbooks-screen";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations("playbooks");
  return { title: t("title") };
}

export default async function PlaybooksPage() {
  const project = await currentProject();
  if (!project) return <NoProject />;
  return <PlaybooksScreen key={project.id} projectId={project.id} role={project.role} />;
}
