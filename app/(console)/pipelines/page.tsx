import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { loadFrame } from "../_frame/load-frame";
import { NoProject } from "../_query/no-project";
import { PipelinesScreen } from "./_parts/pipelines-screen";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations("pipelines");
  return { title: t("title") };
}

export default async function PipelinesPage() {
  const frame = await loadFrame();
  const project = frame?.project;
  if (!frame || !project) return <NoProject />;
  const demo = project.name !== "demo" && frame.projects.some(({ name }) => name === "demo");
  return <PipelinesScreen key={project.id} projectId={project.id} role={project.role} demo={demo} />;
}
