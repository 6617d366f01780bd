import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { currentProject } from "./_frame/load-frame";
import { HomeScreen } from "./_home/home-screen";
import { NoProject } from "./_query/no-project";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations("home");
  return { title: t("title") };
}

export default async function HomePage() {
  const project = await currentProject();
  if (!project) return <NoProject />;
  return <HomeScreen key={project.id} projectId={project.id} title={project.title} />;
}
