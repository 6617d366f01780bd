import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { currentProject } from "../_frame/load-frame";
import { NoProject } from "../_query/no-project";
import { CodesScreen } from "./_parts/codes-screen";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations("codes");
  return { title: t("title") };
}

export default async function CodesPage() {
  const project = await currentProject();
  if (!project) return <NoProject />;
  return <CodesScreen key={project.id} projectId={project.id} />;
}
