import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getTranslations } from "next-intl/server";
import { roleAllows } from "@/server/domain/access/roles";
import { EditorPage } from "../_editor/editor-page";
import { loadEditPage } from "./load-edit-page";

interface EditPageProps {
  params: Promise<{ pipelineId: string }>;
}

export async function generateMetadata({ params }: EditPageProps): Promise<Metadata> {
  const [{ pipelineId }, t] = await Promise.all([params, getTranslations("editor.page")]);
  const found = await loadEditPage(pipelineId);
  return found === null ? {} : { title: t("title", { name: found.draft.definition.metadata.title || found.draft.name }) };
}

export default async function EditPage({ params }: EditPageProps) {
  const { pipelineId } = await params;
  const found = await loadEditPage(pipelineId);
  if (found === null) notFound();
  const { project, draft, detail } = found;
  const { definition, layout, revision, managedBy } = draft;
  const mayEdit = roleAllows(project.role, "pipeline.edit");
  return (
    <EditorPage
      key={pipelineId}
      projectId={project.id}
      pipelineId={pipelineId}
      draft={{ definition, layout, revision }}
      live={detail.live === null ? null : { versionNo: detail.live.no, definition: detail.live.definition }}
      readOnly={managedBy === "git" ? "git" : mayEdit ? null : "role"}
    />
  );
}
