import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { currentProject } from "../../../../_frame/load-frame";
import { NoProject } from "../../../../_query/no-project";
import { CauseCard } from "../../../_parts/cause-card";

interface BurstPageProps {
  params: Promise<{ code: string; burstId: string }>;
}

export async function generateMetadata({ params }: BurstPageProps): Promise<Metadata> {
  const [{ code }, t] = await Promise.all([params, getTranslations("causes")]);
  return { title: t("pageTitle", { code }) };
}

export default async function BurstPage({ params }: BurstPageProps) {
  const [{ burstId }, project] = await Promise.all([params, currentProject()]);
  if (!project) return <NoProject />;
  return <CauseCard key={burstId} projectId={project.id} id={burstId} />;
}
