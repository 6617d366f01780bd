import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getTranslations } from "next-intl/server";
import { loadPipelinePage } from "./_page/load-pipeline-page";
import { PipelineScreen } from "./_page/pipeline-screen";

interface PipelinePageProps {
  params: Promise<{ pipelineId: string }>;
}

export async function generateMetadata({ params }: PipelinePageProps): Promise<Metadata> {
  const [{ pipelineId }, t] = await Promise.all([params, getTranslations("pipelines")]);
  const found = await loadPipelinePage(pipelineId);
  return { title: found?.pipeline.title ?? t("title") };
}

export default async function PipelinePage({ params }: PipelinePageProps) {
  const { pipelineId } = await params;
  const found = await loadPipelinePage(pipelineId);
  if (!found) notFound();
  return <PipelineScreen key={pipelineId} projectId={found.projectId} first={found.pipeline} />;
}
