import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { currentProject, loadMe } from "../_frame/load-frame";
import { NoProject } from "../_query/no-project";
import { SettingsScreen } from "./_parts/settings-screen";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations("settings");
  return { title: t("title") };
}

export default async function SettingsPage() {
  const [project, me] = await Promise.all([currentProject(), loadMe()]);
  if (!project) return <NoProject />;
  return (
    <SettingsScreen
      key={project.id}
      projectId={project.id}
      title={project.title}
      role={project.role}
      ownId={me.user?.id ?? null}
      isAdministrator={me.user?.isAdministrator ?? false}
    />
  );
}
