import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { currentProject, loadMe } from "../_frame/load-frame";
import { NoProject } from "../_query/no-project";
import { AuditScreen } from "./_parts/audit-screen";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations("audit");
  return { title: t("title") };
}

export default async function AuditPage() {
  const [project, me] = await Promise.all([currentProject(), loadMe()]);
  if (!project) return <NoProject />;
  return <AuditScreen key={project.id} projectId={project.id} isAdministrator={me.user?.isAdministrator ?? false} />;
}
