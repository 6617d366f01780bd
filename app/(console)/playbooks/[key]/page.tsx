import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { currentProject } from "../../_frame/load-frame";
import { NoProject } from "../../_query/no-project";
import { PlaybookScreen } from "../_parts/playbook-screen";

interface PlaybookPageProps {
  params: Promise<{ key: string }>;
}

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations("playbooks");
  return { title: t("title") };
}

export default async function PlaybookPage({ params }: PlaybookPageProps) {
  const [{ key }, project] = await Promise.all([params, currentProject()]);
  if (!project) return <NoProject />;
  return <PlaybookScreen key={`${project.id}/${key}`} projectId={project.id} role={project.role} playbook={key} />;
}
