import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { loadFrame } from "./_frame/load-frame";
import { HomeScreen } from "./_home/home-screen";
import { NoProject } from "./_query/no-project";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations("home");
  return { title: t("title") };
}

export default async function HomePage() {
  const frame = await loadFrame();
  const project = frame?.project;
  if (!frame || !project) return <NoProject />;
  const demo = project.name !== "demo" && frame.projects.some(({ name }) => name === "demo");
  return <HomeScreen key={project.id} projectId={project.id} title={project.title} role={project.role} demo={demo} />;
}
