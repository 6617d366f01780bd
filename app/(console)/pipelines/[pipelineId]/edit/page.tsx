import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getTranslations } from "next-intl/server";
import { serverCaller } from "@/app/_trpc/server";
import { roleAllows } from "@/server/domain/access/roles";
import { loadFrame } from "../../../_frame/load-frame";
import { EditorPage } from "../_editor/editor-page";
import { loadPipelinePage } from "../_page/load-pipeline-page";

interface EditPageProps {
  params: Promise<{ pipelineId: string }>;
}

export async function generateMetadata({ params }: EditPageProps): Promise<Metadata> {
  const [{ pipelineId }, t] = await Promise.all([params, getTranslations("editor.page")]);
  const found = await loadPipelinePage(pipelineId);
  return found === null ? {} : { title: t("title", { name: found.pipeline.title }) };
}

export default async function EditPage({ params }: EditPageProps) {
  const { pipelineId } = await params;
  const [found, frame] = await Promise.all([loadPipelinePage(pipelineId), loadFrame()]);
  if (!found) notFound();
  const { projectId, pipeline } = found;
  const draft = await (await serverCaller()).pipelines.draft({ projectId, pipelineId });
  const role = frame?.projects.find(({ id }) => id === projectId)?.role;
  const mayEdit = role !== undefined && roleAllows(role, "pipeline.edit");
  return (
    <EditorPage
      key={pipelineId}
      projectId={projectId}
      pipelineId={pipelineId}
      draft={{ definition: draft.definition, layout: draft.layout, revision: draft.revision }}
      live={pipeline.live ? { versionNo: pipeline.live.no, definition: pipeline.live.definition } : null}
      readOnly={draft.managedBy === "git" ? "git" : mayEdit ? null : "role"}
    />
  );
}
