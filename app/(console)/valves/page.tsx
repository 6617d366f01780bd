import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { currentProject } from "../_frame/load-frame";
import { NoProject } from "../_query/no-project";
import { ValvesScreen } from "./_parts/valves-screen";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations("valves");
  return { title: t("title") };
}

export default async function ValvesPage() {
  const project = await currentProject();
  if (!project) return <NoProject />;
  return <ValvesScreen key={project.id} projectId={project.id} />;
}
