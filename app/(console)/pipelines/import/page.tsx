import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { NoPermissionState } from "@/app/_ui/no-permission-state";
import { roleAllows } from "@/server/domain/access/roles";
import { loadFrame } from "../../_frame/load-frame";
import { NoProject } from "../../_query/no-project";
import { ImportScreen } from "./_parts/import-screen";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations("imports");
  return { title: t("title") };
}

export default async function ImportPage() {
  const frame = await loadFrame();
  const project = frame?.project;
  if (!frame || !project) return <NoProject />;
  if (!roleAllows(project.role, "pipeline.import")) return <NoPermissionState need="editor" have={project.role} />;
  return <ImportScreen key={project.id} projectId={project.id} owner={frame.user.name} />;
}
