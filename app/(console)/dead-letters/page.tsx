import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { currentProject } from "../_frame/load-frame";
import { NoProject } from "../_query/no-project";
import { DeadLettersScreen } from "./_parts/dead-letters-screen";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations("deadLetters");
  return { title: t("title") };
}

export default async function DeadLettersPage() {
  const project = await currentProject();
  if (!project) return <NoProject />;
  return <DeadLettersScreen key={project.id} projectId={project.id} />;
}
