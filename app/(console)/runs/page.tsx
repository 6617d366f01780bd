import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { EmptyState } from "@/app/_ui/empty-state";
import { currentProject } from "../_frame/load-frame";
import { RunsScreen } from "./_list/runs-screen";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations("runs");
  return { title: t("title") };
}

export default async function RunsPage() {
  const [project, t] = await Promise.all([currentProject(), getTranslations("runs.noProject")]);
  if (!project) return <EmptyState title={t("title")}>{t("body")}</EmptyState>;
  return <RunsScreen key={project.id} projectId={project.id} />;
}
