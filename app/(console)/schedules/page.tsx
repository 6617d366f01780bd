import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { currentProject } from "../_frame/load-frame";
import { NoProject } from "../_query/no-project";
import { SchedulesScreen } from "./_parts/schedules-screen";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations("schedules");
  return { title: t("title") };
}

export default async function SchedulesPage() {
  const project = await currentProject();
  if (!project) return <NoProject />;
  return <SchedulesScreen key={project.id} projectId={project.id} role={project.role} />;
}
