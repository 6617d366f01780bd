import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { currentProject } from "../_frame/load-frame";
import { NoProject } from "../_query/no-project";
import { RoutingScreen } from "./_parts/routing-screen";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations("routing");
  return { title: t("title") };
}

export default async function RoutingPage() {
  const project = await currentProject();
  if (!project) return <NoProject />;
  return <RoutingScreen key={project.id} projectId={project.id} />;
}
